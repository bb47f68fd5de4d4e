"""Files that do not say how they are encoded, or say it wrongly, are read by their letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.sources.files.encodings import decoded


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "Iršič"),
        ("utf-16", "Müller – 中文"),
        ("utf-16-be", "\ufeffMüller"),
        ("cp1252", "Müller, Jürgen – “Große Öfen” José García"),
        ("cp1252", "Ångström"),
        ("cp1253", "Μια μελέτη της ελληνικής γλώσσας"),
        ("cp1251", "Исследование языка, Петров"),
        ("gb18030", "author = {凯撒}, journal = {测试期刊}"),
        ("big5", "中文資訊檢索的方法"),
        ("shift_jis", "日本語の論文についての研究"),
        ("euc_kr", "한국어 논문에 대한 연구"),
    ],
)
def test_each_usual_encoding_is_recognised(encoding: str, text: str) -> None:
    assert decoded(text.encode(encoding)).removeprefix("\ufeff") == text.removeprefix("\ufeff")


def test_a_wrong_declaration_does_not_win_and_a_right_one_does() -> None:
    assert decoded("% Encoding: UTF-8\n@misc{a, author = {Jürgen}}".encode("cp1252")).endswith("Jürgen}}")
    assert decoded("% Encoding: Cp1250\n{Dvořák}".encode("cp1250")).endswith("{Dvořák}")


@given(st.binary(max_size=300))
def test_any_bytes_have_a_text(content: bytes) -> None:
    assert "\r" not in decoded(content)
