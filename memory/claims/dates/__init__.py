"""What a person says of dates: appointments told in a few words or by a question, what begins later, and a date or an
hour that takes the place of another.

Appointments: `agenda` reads a list of them, `appointments` those that a question names, `arrangements` what becomes of
one, `rescheduling` a day or an hour that is put right. Validity: `beginnings` and `starting` say from when something
holds, `endings` until when.
"""
