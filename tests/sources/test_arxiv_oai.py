"""arXiv's OAI-PMH: recorded records from the payloads; lists, tokens and arXivRaw written by hand in the
published form, since none was recorded."""

from datetime import UTC, date, datetime
from pathlib import Path

import httpx
import pytest

from broadsheet.errors import BadAnswer
from broadsheet.sources.arxiv import oai
from broadsheet.sources.batches import PaperBatch
from sources.served import Served, pages

OAI = "https://oaipmh.arxiv.org/oai"
DAY = oai.Selection(since=date(2031, 6, 17), until=date(2031, 6, 18), set_spec="cs:cs:LG")

RAW = """<record><header><identifier>oai:arXiv.org:{id}</identifier><datestamp>{stamp}</datestamp>
<setSpec>cs:cs:LG</setSpec></header><metadata><arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/">
<id>{id}</id><submitter>Ada Quill</submitter>
<version version="v1"><date>Mon, 16 Jun 2031 17:59:59 GMT</date><size>10kb</size></version>
<version version="v2"><date>Tue, 17 Jun 2031 08:00:00 GMT</date><size>11kb</size></version>
<title>On {id}</title><authors>Ada Quill (Nib Institute), Bo Feather and Ci Ink</authors>
<categories>cs.LG stat.ML</categories><comments>9 pages, code at github.com/quill/nib</comments>
<doi>10.9/A 10.9/b</doi><abstract>  We find
it.</abstract></arXivRaw></metadata></record>"""


def answer(inner: str) -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">
<responseDate>2031-06-18T03:00:00Z</responseDate><request>https://oaipmh.arxiv.org/oai</request>{inner}</OAI-PMH>"""


def listed(numbers: list[str], token: str = "", stamp: str = "2031-06-17") -> str:
    records = "".join(RAW.format(id=number, stamp=stamp) for number in numbers)
    return answer(f"<ListRecords>{records}{token}</ListRecords>")


def token(words: str, cursor: int, size: int) -> str:
    return f'<resumptionToken cursor="{cursor}" completeListSize="{size}">{words}</resumptionToken>'


def error(code: str) -> str:
    return answer(f'<error code="{code}"/>')


def held(batches: list[PaperBatch]) -> list[str]:
    return [arrival.paper.id for batch in batches for arrival in batch.arrivals]


@pytest.mark.data
def test_recorded_records_of_prefix_arxiv(evaluation_data: Path) -> None:
    folder = evaluation_data / "payloads/arxiv_oai"
    page = oai.parse((folder / "listrecords_arXiv_hep-th.xml").read_bytes())
    assert [a.paper.id for a in page.arrivals] == ["arxiv:1412.8323", "arxiv:1507.07790", "arxiv:1607.01710"]
    assert (page.token, page.last_stamp, page.records) == (None, "2017-12-14", 3)
    second = page.arrivals[1].paper
    assert [(a.family, a.given) for a in second.authors] == [("Castro", "Luis B."), ("Silva", "Edilberto O.")]
    assert second.title == "Relativistic quantum dynamics of vector bosons in an Aharonov-Bohm potential"
    assert (second.doi, second.submitted) == ("10.1088/1751-8121/aa9c53", datetime(2015, 7, 28, tzinfo=UTC))
    assert second.categories == ("hep-th", "math-ph", "math.MP", "quant-ph")
    (only,) = oai.parse((folder / "getrecord_arXiv_10.xml").read_bytes()).arrivals
    assert only.paper.comment is not None
    assert '"Federico II"' in only.paper.comment


@pytest.mark.data
def test_answers_of_the_protocol_itself(evaluation_data: Path) -> None:
    folder = evaluation_data / "payloads/oai_generic"
    assert oai.parse((folder / "badResumptionToken.xml").read_bytes()).error == "badResumptionToken"
    assert oai.parse((folder / "idDoesNotExist.xml").read_bytes()).error == "idDoesNotExist"
    last = oai.parse((folder / "ListRecords4.xml").read_bytes())
    assert (last.arrivals, last.token, last.records) == ((), None, 2)


def test_a_raw_record_has_each_versions_instant() -> None:
    (arrival,) = oai.parse(listed(["3106.00001"]).encode()).arrivals
    paper = arrival.paper
    assert (paper.id, paper.version) == ("arxiv:3106.00001", 2)
    assert paper.submitted == datetime(2031, 6, 16, 17, 59, 59, tzinfo=UTC)
    assert paper.updated == datetime(2031, 6, 17, 8, 0, tzinfo=UTC)
    assert [author.name for author in paper.authors] == ["Ada Quill", "Bo Feather", "Ci Ink"]
    assert (paper.doi, paper.identifiers) == ("10.9/a", ())
    assert (paper.abstract, paper.links.code) == ("We find it.", "https://github.com/quill/nib")


def test_a_list_goes_on_by_token_until_an_empty_one() -> None:
    served = pages(listed(["3106.00001"], token("t1", 0, 2)), listed(["3106.00002"], token("", 1, 2)))
    batches = list(oai.list_records(served.client(), OAI, DAY))
    assert held(batches) == ["arxiv:3106.00001", "arxiv:3106.00002"]
    assert [batch.complete for batch in batches] == [True, True]
    assert dict(served.asked[0].params) == {
        "verb": "ListRecords",
        "metadataPrefix": "arXivRaw",
        "from": "2031-06-17",
        "until": "2031-06-18",
        "set": "cs:cs:LG",
    }
    assert dict(served.asked[1].params) == {"verb": "ListRecords", "resumptionToken": "t1"}


def test_a_list_that_ends_before_its_size_is_partial() -> None:
    """completeListSize 6, an empty token after 2 records."""
    numbers = ["3106.00001", "3106.00002"]
    (batch,) = oai.list_records(pages(listed(numbers, token("", 0, 6))).client(), OAI, DAY)
    assert (batch.complete, batch.total, batch.state) == (False, 6, None)
    assert batch.notes == ("OAI-PMH ended after 2 of 6 records.",)


def test_no_records_is_an_empty_day() -> None:
    (batch,) = oai.list_records(pages(error("noRecordsMatch")).client(), OAI, DAY)
    assert (batch.arrivals, batch.complete, batch.state) == ((), True, None)


def test_deleted_records_are_named() -> None:
    gone = """<record><header status="deleted"><identifier>oai:arXiv.org:3106.00009</identifier>
<datestamp>2031-06-17</datestamp></header></record>"""
    (batch,) = oai.list_records(pages(answer(f"<ListRecords>{gone}</ListRecords>")).client(), OAI, DAY)
    assert batch.deleted == ("oai:arXiv.org:3106.00009",)


def test_a_run_resumes_from_the_state_of_its_last_batch() -> None:
    first = next(oai.list_records(pages(listed(["3106.00001"], token("t1", 0, 3))).client(), OAI, DAY))
    assert first.state
    served = pages(listed(["3106.00002"], token("t2", 1, 3)), listed(["3106.00003"]))
    rest = list(oai.list_records(served.client(), OAI, DAY, first.state))
    assert held(rest) == ["arxiv:3106.00002", "arxiv:3106.00003"]
    assert rest[-1].complete
    assert served.asked[0].params["resumptionToken"] == "t1"


@pytest.mark.parametrize("refusal", [error("badResumptionToken"), httpx.Response(400)])
def test_an_expired_token_begins_again_at_the_last_datestamp(refusal: str | httpx.Response) -> None:
    served = pages(
        listed(["3106.00001"], token("t1", 0, 2), stamp="2031-06-18"),
        refusal,
        listed(["3106.00002"], stamp="2031-06-18"),
    )
    batches = list(oai.list_records(served.client(), OAI, DAY))
    assert held(batches) == ["arxiv:3106.00001", "arxiv:3106.00002"]
    assert served.asked[2].params["from"] == "2031-06-18"
    assert "expired" in batches[1].notes[0]


def test_out_of_order_datestamps_begin_again_at_the_start() -> None:
    mixed = listed(["3106.00001"], stamp="2031-06-18").replace(
        "</ListRecords>",
        RAW.format(id="3106.00002", stamp="2031-06-17") + token("t1", 0, 3) + "</ListRecords>",
    )
    served = pages(mixed, error("badResumptionToken"), listed(["3106.00003"]))
    assert len(held(list(oai.list_records(served.client(), OAI, DAY)))) == 3
    assert served.asked[2].params["from"] == "2031-06-17"


def test_a_token_that_always_expires_ends_as_partial() -> None:
    def reply(url: httpx.URL) -> str:
        return (
            error("badResumptionToken")
            if "resumptionToken" in url.params
            else listed(["3106.00001"], token("t", 0, 9))
        )

    served = Served(reply)
    batches = list(oai.list_records(served.client(), OAI, DAY))
    assert (batches[-1].complete, batches[-1].state) == (False, None)
    assert len(served.asked) == 8


def test_a_503_with_a_date_is_waited_for() -> None:
    busy = httpx.Response(
        503, headers={"Retry-After": "Wed, 18 Jun 2031 04:00:00 GMT", "Date": "Wed, 18 Jun 2031 03:59:30 GMT"}
    )
    client = pages(busy, listed(["3106.00001"])).client()
    assert held(list(oai.list_records(client, OAI, DAY))) == ["arxiv:3106.00001"]
    assert client.waited == 30.0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Rate exceeded</html>",
        answer("").encode(),
        error("badArgument").encode(),
        listed(["3106.1"])[:-9].encode(),
    ],
)
def test_what_is_no_answer_of_the_protocol_is_refused(body: bytes) -> None:
    with pytest.raises(BadAnswer):
        oai.parse(body)


def test_one_record_is_asked_for_by_its_identifier() -> None:
    served = pages(answer(f"<GetRecord>{RAW.format(id='hep-th/9901001', stamp='2031-06-17')}</GetRecord>"))
    page = oai.get_record(served.client(), OAI, "arxiv:hep-th/9901001")
    assert page.arrivals[0].paper.id == "arxiv:hep-th/9901001"
    assert served.asked[0].params["identifier"] == "oai:arXiv.org:hep-th/9901001"
