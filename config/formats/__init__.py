"""How each language of the interface writes numbers and dates, where that differs from what Django knows of it."""

# SVG, sliders and number fields read a point; and a figure on a page can be copied into a setting as it stands.
DECIMAL_POINT = "."
# What a date field of a browser sends and shows its own way.
ISO_DATES = ["%Y-%m-%d"]
