"""Writes the frozen tables of scripts, categories and graphemes, measured on the installed `tokenizers`.

python tools/boundary_tables.py
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Regex, normalizers, pre_tokenizers
from unicode_tables import DATA, EVERY, HANGUL, SURROGATES, named, table

SCALARS = [code for code in EVERY if code not in SURROGATES]
_CATEGORIES = """
Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn
"""
CATEGORIES = _CATEGORIES.split()
_SCRIPTS = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo
Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common
Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs
Elbasan Elymaic Ethiopic Garay Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema
Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi
Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki
Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic
Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao
Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong
Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian
Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi
Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese
Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai
Tibetan Tifinagh Tirhuta Todhri Toto Tulu_Tigalari Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square
"""
SCRIPTS = _SCRIPTS.split()


def holders(names: Iterable[str]) -> dict[str, str]:
    r"""Return, for each character, the first of these names whose \p{name} holds it."""
    everything = "".join(map(chr, SCALARS))
    found: dict[str, str] = {}
    for name in names:
        splitter = pre_tokenizers.Split(Regex(rf"\p{{{name}}}+"), "removed", invert=True)
        for text, _ in splitter.pre_tokenize_str(everything):
            for char in text:
                found.setdefault(char, name)
    return found


def of(names: Iterable[str]) -> Callable[[str], str]:
    """Return a function that names a character's property, or returns an empty string."""
    lookup = cache(lambda: holders(names))
    return lambda char: lookup().get(char, "")


def charsmap(replacements: Mapping[str, str]) -> bytes:
    """Return a map for Precompiled: a double array with 256 separate units per node, then the replacements."""
    trie: dict[int, Any] = {}
    texts = b""
    for key, text in replacements.items():
        node = trie
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[0] = len(texts)
        texts += text.encode() + b"\0"
    units = [0] * 256

    def place(node: dict[int, Any], position: int, label: int) -> None:
        first = len(units)
        units.extend([0] * 256)
        units[position] = (position ^ first) << 10 | (0 in node) << 8 | label
        for byte, child in node.items():
            if byte:
                place(child, first ^ byte, byte)
            else:
                units[first] = child | 1 << 31

    place(trie, 0, 0)
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + texts


def joined(key: str, before: str, after: str) -> Callable[[str], bool]:
    """Return a test of whether `before`, a character, `after` and `key` are one grapheme.

    Precompiled replaces a grapheme of less than six bytes as a whole if it begins with a key, and other graphemes one
    character at a time. So the accent after the key disappears if a grapheme begins at the key, and else stays.
    """
    normalize = normalizers.Precompiled(charsmap({key: "!"})).normalize_str
    return lambda char: bool(normalize(before + char + after + key + "\u0301").endswith("\u0301"))


ACUTE = normalizers.Precompiled(charsmap({"\u0301": "!"})).normalize_str
LEAD, VOWEL, TRAIL, KA, VIRAMA, JOINER, SIGN = "\u1100", "\u1161", "\u11a8", "\u0915", "\u094d", "\u200d", "\u00a9"
before_lead, before_vowel, before_trail = joined(LEAD, "", ""), joined(VOWEL, "", ""), joined(TRAIL, "", "")
prepends = joined("a", "", "")
extends, before_picture = joined(SIGN, SIGN, JOINER), joined(SIGN, "", JOINER)
before_conjunct, links, keeps_linking = joined(KA, "", VIRAMA), joined(KA, KA, ""), joined(KA, KA, VIRAMA)
attaching = cache(normalizers.Precompiled(charsmap({"a": "!"})).normalize_str)

# Regional indicators are missing: no grapheme of less than six bytes has one next to another character.
GRAPHEMES: dict[str, Callable[[str], bool]] = {
    "control": lambda char: not ACUTE(char + "\u0301\u0301").endswith("!!"),
    "attaches": lambda char: char != JOINER and attaching("a" + char) == "!",
    "extends": lambda char: char != JOINER and attaching("a" + char) == "!" and extends(char),
    "prepends": prepends,
    "lead": lambda char: before_lead(char) and not prepends(char),
    "vowel": lambda char: ord(char) not in HANGUL and before_trail(char) and before_vowel(char) and not prepends(char),
    "trail": lambda char: ord(char) not in HANGUL and before_trail(char) and not before_vowel(char),
    "picture": lambda char: attaching("a" + char) != "!" and before_picture(char),
    "consonant": lambda char: attaching("a" + char) != "!" and before_conjunct(char),
    "linker": lambda char: attaching("a" + char) == "!" and links(char),
    "keeps_linking": lambda char: attaching("a" + char) == "!" and keeps_linking(char),
}

script_cuts = pre_tokenizers.UnicodeScripts().pre_tokenize_str
script_samples: list[str] = ["a", "\u6f22"]


def sentencepiece_script(char: str) -> str:
    """Return the first sample of the same script, as in UnicodeScripts; an empty string for any script."""
    same = [sample for sample in script_samples[:2] if len(script_cuts(sample + char)) == 1]
    if len(same) == 2:
        return ""
    same = same or [sample for sample in script_samples if len(script_cuts(sample + char)) == 1] or [char]
    if same == [char]:
        script_samples.append(char)
    return f"{ord(same[0]):04X}"


TABLES = {
    "unicode_categories.txt": ("code points;general category in regular expressions", of(CATEGORIES)),
    "unicode_scripts.txt": ("code points;script in regular expressions", of(SCRIPTS)),
    "unicode_sentencepiece_scripts.txt": ("code points;a character of their script", sentencepiece_script),
    "unicode_graphemes.txt": ("code points;how they join with neighbours in a grapheme", named(GRAPHEMES)),
}

if __name__ == "__main__":
    for name, (what, value) in TABLES.items():
        (DATA / name).write_text(table(what, value, Path(__file__).name), encoding="ascii")
