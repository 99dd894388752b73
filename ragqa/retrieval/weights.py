"""What words count by where they stand, beside words of the text, in every index."""

# Chosen on the tuning halves of three sets of questions (English and Chinese paragraphs, PDF
# pages): weights from 0.5 to 1.0 for titles and from 0.3 to 0.4 for pairs came out alike. Headings
# of PDF pages are guessed from large print and repeat: above 0.3 they led astray there.
TITLE_WEIGHT = 0.7
HEADING_WEIGHT = 0.3
PAIR_WEIGHT = 0.3
