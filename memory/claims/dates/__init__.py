"""What a person says of dates: appointments told in a few words or by a question, what begins later, and a date or an
hour that takes the place of another.
"""
