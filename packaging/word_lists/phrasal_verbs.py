#!/usr/bin/env python3
"""Prints the entries of data/guards/grounding/phrasal_verbs.en.txt: stems of English words, each with verbs of more than one
word that support it.

usage: like kinds.py, in the same folder:
    packaging/word_lists/phrasal_verbs.py package/dict

A fact with the first word may be taken from a source with one of the others, which are synonyms or kinds of it.
"""
import re
from collections import defaultdict

from kinds import has_sense, is_common_sense, is_word, stem, synsets

PARTICLES = set('up down off on out in over away back after through around along apart together by into for with across '
                'aside about ahead forward to of at from against upon under behind without'.split())


def is_phrase(word):
    verb, *rest = word.split('_')
    return re.fullmatch('[a-z]+', verb) and 1 <= len(rest) <= 2 and all(part in PARTICLES for part in rest)


def main():
    table = defaultdict(set)
    for key, synset in synsets.items():
        phrases = [word for word in synset.words if is_phrase(word) and has_sense(word, key)] if key[0] == 'v' else []
        above = [target for symbol, target, _, _ in synset.pointers if symbol == '@']
        for one in [key, *above] if phrases else []:
            for word in synsets[one].words:
                if is_word(word) and is_common_sense(word, one):
                    verbs = (phrase.split('_') for phrase in phrases)
                    table[stem(word)].update(
                        ' '.join([stem(verb[0]), *verb[1:]]) for verb in verbs if stem(verb[0]) != stem(word))
    for key in sorted(table, key=str.encode):
        if table[key]:
            print(key, '|'.join(sorted(table[key])))


main()
