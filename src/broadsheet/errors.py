"""The whole tree of Broadsheet's own errors; ``docs/datamodel.md`` lists each with its HTTP status.

Raised where the fault is met, caught in three places only: around each source in ``daily``, at the
web's error page, and at the top of the command line.

    BroadsheetError                exit 1, HTTP 500
    ├── UsageError                 exit 2, HTTP 400: what was asked for makes no sense
    │   ├── BadQuery               exit 2, HTTP 400: a filter in a query that no paper can pass
    │   ├── UnknownReader          exit 2, HTTP 404
    │   ├── ForeignRequest         exit 2, HTTP 403: a page of another site may have sent it
    │   └── FormTooLarge           exit 2, HTTP 413
    ├── NotFound                   exit 1, HTTP 404
    ├── InvalidIdentifier          exit 2, HTTP 400
    ├── SettingsError              exit 2, HTTP 500
    ├── LibraryError               exit 1, HTTP 500
    │   ├── LibraryTooNew          exit 1, HTTP 500
    │   └── Busy                   exit 1, HTTP 503: another process holds what is needed
    ├── IndexBroken                exit 1, HTTP 503
    ├── EncoderError               exit 1, HTTP 503
    └── SourceError                exit 1, HTTP 502
        ├── Unreachable            no answer, or one that stayed a fault
        ├── NotBefore              the source asked for a longer wait than the run's patience
        └── BadAnswer              an answer that cannot be what was asked for
"""

from datetime import datetime


class BroadsheetError(Exception):
    """An error with a code for programs, a message for people and the next step to take."""

    code = "failed"
    exit_code = 1
    http_status = 500

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step


class UsageError(BroadsheetError):
    """The request itself is wrong: an option, a date, a name."""

    code = "usage"
    exit_code = 2
    http_status = 400


class BadQuery(UsageError):
    """A filter in a query that cannot be meant: the message names it, the next step says what to write."""

    code = "bad_query"


class UnknownReader(UsageError):
    """No reader of that name; the next step names those that exist."""

    code = "unknown_reader"
    http_status = 404


class ForeignRequest(UsageError):
    """A request that a page of another site may have caused."""

    code = "foreign_request"
    http_status = 403


class FormTooLarge(UsageError):
    """A form whose body has no length, or is longer than any form of ours."""

    code = "form_too_large"
    http_status = 413


class NotFound(BroadsheetError):
    """What was asked for is not in the library."""

    code = "not_found"
    http_status = 404


class InvalidIdentifier(UsageError):
    """Text that is no identifier in any form that papers are named by."""

    code = "invalid_identifier"


class SettingsError(UsageError):
    """The settings file or an environment variable cannot be read or makes no sense."""

    code = "settings"
    http_status = 500


class LibraryError(BroadsheetError):
    """The database cannot do what was asked: full disk, broken file, no permission."""

    code = "library"


class LibraryTooNew(LibraryError):
    """The database was made by a newer Broadsheet than this one."""

    code = "library_too_new"


class Busy(LibraryError):
    """Another process holds the lease or the write lock."""

    code = "busy"
    http_status = 503


class IndexBroken(BroadsheetError):
    """A derived file is damaged or of an unknown version; it can be made again."""

    code = "index_broken"
    http_status = 503


class IndexUnwritable(BroadsheetError):
    """The index cannot be opened or written, though nothing in it is damaged: a full or read-only disk."""

    code = "index_unwritable"
    http_status = 503


class EncoderError(BroadsheetError):
    """An encoder's files are missing, are not what they should be, or cannot be made."""

    code = "encoder"
    http_status = 503


class SourceError(BroadsheetError):
    """A source did not give what it should; the message names the source and the address."""

    code = "source"
    http_status = 502


class Unreachable(SourceError):
    """No answer, or the same fault again until the tries were used up."""

    code = "unreachable"


class NotBefore(SourceError):
    """The source wants a longer pause than this run may wait; ``until`` says when to ask again."""

    code = "not_before"

    def __init__(self, message: str, until: datetime) -> None:
        super().__init__(message, f"Run the same command again after {until:%Y-%m-%d %H:%M} UTC.")
        self.until = until


class BadAnswer(SourceError):
    """An answer arrived that cannot be what was asked for: cut, of another form, an error page.

    ``status`` is that of an answer which asking again would not change; None where it might.
    """

    code = "bad_answer"

    def __init__(self, message: str, next_step: str = "", status: int | None = None) -> None:
        super().__init__(message, next_step)
        self.status = status
