import sys

from frame_words import WORDS
from rocscope.cli import main, rocscope

sys.exit(main(command=rocscope(WORDS, package="frame_words")))
