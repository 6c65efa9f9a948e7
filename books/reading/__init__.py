"""Reads a document somebody handed in: its kind, its text with headings, pages and tables, and its passages.

`document` has the values that pass between the steps. Pure: text and bytes in, values out, no framework. The readers
run in a process of their own with limits, as what they read may be hostile.
"""
