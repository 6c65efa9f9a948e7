"""Which characters of a PDF page nobody sees who looks at it: off the page, too small, or white on white."""

import ctypes
from functools import cached_property

import pypdfium2
import pypdfium2.raw as pdfium

# In points: the smallest print on medicine is four.
SMALLEST = 1.0
# Of 255, of every colour.
WHITE = 250
# On a page of more objects, such as a map, everything counts as seen.
MOST_OBJECTS = 2_000
FILLED = (pdfium.FPDF_FILLMODE_ALTERNATE, pdfium.FPDF_FILLMODE_WINDING)

Box = tuple[float, float, float, float]


class PageSight:
    """Text that is drawn without colour is seen: it is what was recognised of the picture of a scan."""

    def __init__(self, page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage) -> None:
        self._page = page
        self._textpage = textpage

    def is_hidden(self, index: int) -> bool:
        try:
            box = self._textpage.get_charbox(index, loose=True)
            # One that the library put in, as between two words, is nowhere.
            return any(box) and (
                self._is_beside(box) or is_tiny(box) or (self._is_white(index) and not self._has_ground(box))
            )
        except pypdfium2.PdfiumError:
            return False

    def _is_beside(self, box: Box) -> bool:
        left, bottom, right, top = self._page.get_bbox()
        return bool(box[2] <= left or box[0] >= right or box[3] <= bottom or box[1] >= top)

    def _is_white(self, index: int) -> bool:
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        if not pdfium.FPDFText_GetFillColor(self._textpage, index, red, green, blue, alpha):
            return False
        return alpha.value == 0 or min(red.value, green.value, blue.value) >= WHITE

    def _has_ground(self, box: Box) -> bool:
        """Whether a picture or a coloured surface is behind it."""
        across, up = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return self._grounds is None or any(
            left <= across <= right and bottom <= up <= top for left, bottom, right, top in self._grounds
        )

    @cached_property
    def _grounds(self) -> list[Box] | None:
        """None where there are too many to look at."""
        grounds = []
        for number, one in enumerate(self._page.get_objects(max_depth=1)):
            if number >= MOST_OBJECTS:
                return None
            if one.type != pdfium.FPDF_PAGEOBJ_TEXT and (one.type != pdfium.FPDF_PAGEOBJ_PATH or is_coloured(one)):
                grounds.append(one.get_bounds())
        return grounds


def is_tiny(box: Box) -> bool:
    return max(abs(box[2] - box[0]), abs(box[3] - box[1])) < SMALLEST


def is_coloured(path: pypdfium2.PdfObject) -> bool:
    """Whether a path is filled, and with anything but white."""
    mode, stroked = ctypes.c_int(), ctypes.c_int()
    if not pdfium.FPDFPath_GetDrawMode(path, mode, stroked) or mode.value not in FILLED:
        return False
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium.FPDFPageObj_GetFillColor(path, red, green, blue, alpha):
        return True
    return alpha.value > 0 and min(red.value, green.value, blue.value) < WHITE
