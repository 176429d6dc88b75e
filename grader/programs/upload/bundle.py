"""The files of an upload as one archive, as it is stored: equal files give equal bytes."""

from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo


def pack(files: Mapping[str, bytes]) -> bytes:
    """The archive of these files, by relative path."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            info = ZipInfo(path)
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def unpack(archive: bytes) -> dict[str, bytes]:
    """The files of an archive that `pack` made. A student's own zip is for `grader.programs.upload.reading`."""
    with ZipFile(BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}
