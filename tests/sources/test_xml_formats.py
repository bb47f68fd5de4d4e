"""XML of libraries and services: PubMed, EndNote, Zotero, OAI-PMH, arXiv's Atom, feeds; hostile XML too."""

# ruff: noqa: E501 - documents stand here as services write them

import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.papers import Announcement, Arrival, Author, Skipped
from broadsheet.sources.files import arxiv_atom, crossref, endnote_xml, feed, oai, pubmed_xml, zotero_rdf

NOW = datetime(2031, 3, 4, 12, tzinfo=UTC)
Parse = Callable[[bytes, str], Iterator[Arrival | Skipped]]


def feeds(content: bytes, path: str) -> Iterator[Arrival | Skipped]:
    return feed.parse(content, path, NOW)


PARSERS: tuple[Parse, ...] = (
    arxiv_atom.parse,
    oai.parse,
    pubmed_xml.parse,
    endnote_xml.parse,
    zotero_rdf.parse,
    crossref.parse_xml,
    feeds,
)


def only(found: Iterator[Arrival | Skipped]) -> Arrival:
    (one,) = found
    assert isinstance(one, Arrival)
    return one


def atom(*entries: str) -> bytes:
    opening = '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">'
    return (opening + "".join(f"\n<entry>{one}</entry>" for one in entries) + "</feed>").encode()


def test_an_error_entry_of_arxivs_api_is_never_a_paper() -> None:
    (one,) = arxiv_atom.parse(
        atom(
            "<id>https://arxiv.org/api/errors#incorrect_id_format_for_x</id><title>Error</title>"
            "<summary>incorrect id format for x</summary>"
        ),
        "x.xml",
    )
    assert one == Skipped("x.xml", 2, "an error of arXiv's API: incorrect id format for x")


def test_a_title_of_zero_is_a_title_and_a_missing_one_has_a_placeholder(
    caplog: pytest.LogCaptureFixture,
) -> None:
    zero, none = arxiv_atom.parse(
        atom(
            "<id>http://arxiv.org/abs/3101.00007v2</id><title>0</title>",
            "<id>http://arxiv.org/abs/3101.00008v1</id><summary>We map.</summary>",
        ),
        "x.xml",
    )
    assert isinstance(zero, Arrival)
    assert isinstance(none, Arrival)
    assert (zero.paper.id, zero.paper.version, zero.paper.title) == ("arxiv:3101.00007", 2, "0")
    assert none.paper.title == "We map"
    assert "no title; 'We map' stands in its place" in caplog.text


def test_a_pubmed_article_comes_with_every_field_in_its_place() -> None:
    content = b"""<?xml version="1.0"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "https://dtd.example.org/pubmed.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">123</PMID><Article>
<Journal><JournalIssue><Volume>12</Volume><Issue>3</Issue><PubDate><Year>2031</Year><Month>Jul</Month></PubDate>
</JournalIssue><ISOAbbreviation>Ann Maps</ISOAbbreviation></Journal>
<ArticleTitle>CO<sub>2</sub> at 10<sup>-3</sup> <i>in vivo</i>.</ArticleTitle>
<ELocationID EIdType="doi" ValidYN="N">10.9/wrong</ELocationID>
<Abstract><AbstractText Label="AIM">We<!-- hidden --> map.</AbstractText><AbstractText>More &amp; more.</AbstractText></Abstract>
<AuthorList><Author><LastName>Nord</LastName><ForeName>Ada</ForeName><Suffix>Jr</Suffix>
<Identifier Source="ORCID">https://orcid.org/0000-0001</Identifier><AffiliationInfo><Affiliation>Oslo</Affiliation></AffiliationInfo></Author>
<Author><CollectiveName>Feather Group</CollectiveName></Author></AuthorList></Article></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">123</ArticleId><ArticleId IdType="doi">10.9/RIGHT</ArticleId></ArticleIdList>
<ReferenceList><Reference><ArticleIdList><ArticleId IdType="doi">10.9/cited</ArticleId></ArticleIdList></Reference></ReferenceList>
</PubmedData></PubmedArticle></PubmedArticleSet>"""
    one = only(pubmed_xml.parse(content, "x.xml"))
    assert (one.paper.id, one.paper.identifiers, one.line) == ("doi:10.9/right", ("pmid:123",), 2)
    assert one.paper.title == "CO2 at 10⁻³ in vivo"
    assert one.paper.abstract == "AIM: We map. More & more."
    assert one.paper.authors == (
        Author("Ada Nord Jr", "Nord", "Ada", "0000-0001", "Oslo"),
        Author("Feather Group"),
    )
    assert one.paper.submitted == datetime(2031, 7, 1, tzinfo=UTC)
    assert one.paper.journal_ref == "Ann Maps 12(3) (2031)"


def test_an_endnote_record_keeps_order_groups_and_styles() -> None:
    content = b"""<xml><records><record><contributors><authors>
<author><style face="normal">Nord, Ada</style></author><author><style>CMS Collaboration,</style></author></authors></contributors>
<titles><title><style>Maps of </style><style face="italic">feathers</style></title></titles>
<dates><year>2031</year><pub-dates><date>July 4</date></pub-dates></dates>
<electronic-resource-num>10.9/x</electronic-resource-num></record></records></xml>"""
    one = only(endnote_xml.parse(content, "x.xml"))
    assert (one.paper.title, one.paper.id) == ("Maps of feathers", "doi:10.9/x")
    assert one.paper.authors == (Author("Ada Nord", "Nord", "Ada"), Author("CMS Collaboration"))
    assert one.paper.submitted == datetime(2031, 7, 4, tzinfo=UTC)


def test_a_zotero_item_comes_with_the_day_it_was_added_and_its_journal() -> None:
    content = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:z="http://www.zotero.org/namespaces/export#"
 xmlns:bib="http://purl.org/net/biblio#" xmlns:foaf="http://xmlns.com/foaf/0.1/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:dcterms="http://purl.org/dc/terms/" xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/">
<bib:Article rdf:about="https://example.org/a"><z:itemType>journalArticle</z:itemType>
<dcterms:isPartOf rdf:resource="urn:issn:1"/>
<bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Nord</foaf:surname><foaf:givenName>Ada</foaf:givenName></foaf:Person></rdf:li>
<rdf:li><foaf:Person><foaf:surname>Sued</foaf:surname></foaf:Person></rdf:li></rdf:Seq></bib:authors>
<dc:title>Maps</dc:title><dcterms:abstract>We map.</dcterms:abstract><dc:date>2031-07</dc:date>
<dcterms:dateSubmitted>2031-08-02 09:10:11</dcterms:dateSubmitted><dc:identifier>DOI 10.9/x</dc:identifier></bib:Article>
<bib:Journal rdf:about="urn:issn:1"><dc:title>Annals</dc:title><prism:volume>12</prism:volume></bib:Journal>
<z:Attachment rdf:about="#1"><z:itemType>attachment</z:itemType><dc:title>PDF</dc:title></z:Attachment>
<bib:Memo rdf:about="#2"><rdf:value>a note</rdf:value></bib:Memo></rdf:RDF>"""
    one = only(zotero_rdf.parse(content, "x.rdf"))
    assert (one.paper.id, one.paper.title, one.kept) == ("doi:10.9/x", "Maps", date(2031, 8, 2))
    assert one.paper.authors == (Author("Ada Nord", "Nord", "Ada"), Author("Sued", "Sued"))
    assert one.paper.journal_ref == "Annals 12 (2031)"
    assert one.paper.submitted == datetime(2031, 7, 1, tzinfo=UTC)


def test_an_oai_record_in_dublin_core_is_read_and_a_deleted_one_named() -> None:
    content = b"""<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>
<record><header status="deleted"><identifier>oai:x:1</identifier></header></record>
<record><header><identifier>oai:arXiv.org:3101.00007</identifier></header><metadata>
<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Maps</dc:title><dc:creator>Nord, Ada</dc:creator><dc:creator>Sued, Bo</dc:creator>
<dc:description>We map.</dc:description><dc:description>Comment: 2 p.</dc:description><dc:date>2031-07-04</dc:date>
<dc:date>2031-07-09</dc:date><dc:identifier>doi:10.9/x</dc:identifier></oai_dc:dc></metadata></record>
</ListRecords></OAI-PMH>"""
    deleted, one = oai.parse(content, "x.xml")
    assert deleted == Skipped("x.xml", 2, "the record oai:x:1 is deleted")
    assert isinstance(one, Arrival)
    assert (one.paper.id, one.paper.doi, one.paper.abstract) == ("arxiv:3101.00007", "10.9/x", "We map.")
    assert [author.family for author in one.paper.authors] == ["Nord", "Sued"]
    assert one.paper.submitted == datetime(2031, 7, 4, tzinfo=UTC)


def test_an_empty_answer_of_oai_is_nothing_and_an_error_is_named() -> None:
    def answer(code: str) -> bytes:
        return f'<OAI-PMH xmlns="x"><error code="{code}">text</error></OAI-PMH>'.encode()

    assert list(oai.parse(answer("noRecordsMatch"), "x")) == []
    assert list(oai.parse(answer("badResumptionToken"), "x")) == [
        Skipped("x", 1, "an error of OAI-PMH: badResumptionToken, text")
    ]


def test_a_feed_that_is_not_well_formed_is_read_with_its_text_intact() -> None:
    content = (
        b"<rss version='2.0'><channel><title>Maps</title><link>https://example.org/</link><item>\n"
        b"<title>R&D \x0b of &lt;T&gt;-cells</title><link>/a?a=1&b=2</link>"
        b"<description>&lt;p&gt;We &lt;b&gt;map&lt;/b&gt; $a&amp;lt;b$ &amp;amp; more&nbsp;caf&eacute;&lt;/p&gt;</description>"
        b"<dc:creator xmlns:dc='d'>A. Nord, B. Sued, C. Ost</dc:creator>"
        b"<pubDate>Fri, 04 Jul 2031 08:00:00 -0400</pubDate></item></channel></rss>"
    )
    one = only(feed.parse(content, "x.xml", NOW))
    assert one.paper.title == "R&D of <T>-cells"
    assert one.paper.abstract == "We map $a<b$ & more café"
    assert one.paper.links.abs == "https://example.org/a?a=1&b=2"
    assert [author.name for author in one.paper.authors] == ["A. Nord", "B. Sued", "C. Ost"]
    assert one.paper.submitted == datetime(2031, 7, 4, 12, tzinfo=UTC)


def test_atom_and_rss_1_with_prism_are_read() -> None:
    one = only(
        feed.parse(
            b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><title type='html'>&lt;i&gt;In vivo&lt;/i&gt; maps</title>"
            b"<id>https://doi.org/10.9/x</id><link rel='self' href='https://e.org/s'/><link href='https://e.org/a'/>"
            b"<author><name>Nord, Ada</name></author><author><name>B. Sued</name></author>"
            b"<summary>We map.</summary><published>2031-07-04T08:00:00+02:00</published></entry></feed>",
            "x.xml",
            NOW,
        )
    )
    assert (one.paper.id, one.paper.title, one.paper.links.abs) == (
        "doi:10.9/x",
        "In vivo maps",
        "https://e.org/a",
    )
    assert [author.name for author in one.paper.authors] == ["Ada Nord", "B. Sued"]
    one = only(
        feed.parse(
            b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/' xmlns:p='p'>"
            b"<item rdf:about='https://e.org/b'><title>Maps</title><p:doi>10.9/y</p:doi><p:publicationName>Annals</p:publicationName>"
            b"<p:volume>3</p:volume><p:publicationDate>2031-07-04</p:publicationDate></item></rdf:RDF>",
            "x.xml",
            NOW,
        )
    )
    assert (one.paper.id, one.paper.journal_ref) == ("doi:10.9/y", "Annals 3 (2031)")


def test_an_entry_of_arxivs_own_feed_brings_its_announcement() -> None:
    content = (
        b"<rss xmlns:arxiv='http://arxiv.org/schemas/atom' xmlns:dc='d'><channel><title>cs.XA updates on arXiv.org</title>"
        b"<item><title>Maps</title><guid>oai:arXiv.org:3101.00007v2</guid><category>math.XX</category><category>cs.XA</category>"
        b"<description>arXiv:3101.00007v2 Announce Type: cross\nAbstract: We map.</description><dc:creator>A. Nord, B. Sued</dc:creator>"
        b"<pubDate>Fri, 04 Jul 2031 00:00:00 -0400</pubDate><arxiv:announce_type>cross</arxiv:announce_type></item></channel></rss>"
    )
    one = only(feed.parse(content, "x.xml", NOW))
    assert one.announcements == (
        Announcement("arxiv:3101.00007", "arxiv", "cs.XA", date(2031, 7, 4), "cross", 2, NOW),
    )
    assert (one.paper.abstract, one.paper.announced) == ("We map.", None)


BOMB = (
    b'<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(
        b'<!ENTITY %c "&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;">' % (c, *([c - 1] * 8)) for c in range(98, 108)
    )
    + b"]>"
)


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize(
    "hostile",
    [
        BOMB + b"<feed><entry><title>&k;</title></entry></feed>",
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><feed><entry><title>&e;</title></entry></feed>',
        b"<feed>" + b"<a>" * 100_000,
        b"<feed><entry><title>" + b"x" * 12_000_000 + b"</title></entry></feed>",
        b"<feed><entry " + b"".join(b"a%d='x' " % n for n in range(50_000)) + b"/></feed>",
    ],
    ids=["bomb", "external", "deep", "long", "attributes"],
)
def test_hostile_xml_gives_no_paper_with_foreign_text_in_bounded_time(parse: Parse, hostile: bytes) -> None:
    started = time.perf_counter()
    found = list(parse(hostile, "x"))
    assert time.perf_counter() - started < 5
    assert all(isinstance(one, Skipped) for one in found)


def test_xml_that_is_cut_names_the_line_of_the_fault() -> None:
    (one,) = pubmed_xml.parse(b"<PubmedArticleSet>\n<PubmedArticle>\n<Medl", "x.xml")
    assert isinstance(one, Skipped)
    assert one.line == 3
    assert one.why.startswith("no whole XML document")


@given(st.binary(max_size=200), st.text(alphabet="<>/&;!?[]-=\"' abfeedrss\n", max_size=150))
def test_no_bytes_and_no_text_raise(content: bytes, text: str) -> None:
    for parse in PARSERS:
        for body in (content, text.encode(), b"<feed><entry>" + text.encode() + b"</entry></feed>"):
            for one in parse(body, "x"):
                assert isinstance(one, Arrival | Skipped)
