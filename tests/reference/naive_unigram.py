"""Unigram training as it is written down, with dicts and lists: slow, and every sum in the order of the library."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection

Scored = list[tuple[str, float]]
Node = tuple[int, int, int]  # begin, end, number of the piece
UNKNOWN = 0


def log_add(x: float, y: float) -> float:
    low, high = min(x, y), max(x, y)
    return high if high > low + 50 else high + math.log(math.exp(low - high) + 1.0)


def log_sum(terms: list[float]) -> float:
    total = terms[0]
    for term in terms[1:]:
        total = log_add(total, term)
    return total


def digamma(x: float) -> float:
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 1 / 2
    xx = 1 / x
    xx2 = xx * xx
    xx4 = xx2 * xx2
    return result + (math.log(x) + (1 / 24) * xx2 - 7 / 960 * xx4 + (31 / 8064) * xx4 * xx2 - (127 / 30720) * xx4 * xx4)


# --8<-- [start:seeds]
def seeds(counts: dict[str, int], longest: int, size: int, existing: Collection[str] = ()) -> Scored:
    """All characters, then the substrings that two different characters follow, by occurrences times length."""
    text = "".join(word + "\0" for word in counts if word)
    letters: Counter[str] = Counter()
    for word, count in counts.items():
        for char in word.replace("\0", ""):
            letters[char] += count
    occurrences: Counter[str] = Counter()
    followers: dict[str, set[str]] = {}
    for begin in range(len(text)):
        for length in range(2, max([longest, *map(len, existing)]) + 1):
            part = text[begin : begin + length]
            if len(part) < length or "\0" in part:
                break
            occurrences[part] += 1
            followers.setdefault(part, set()).add(text[begin + length])
    values = sorted(((n * len(part), part) for part, n in occurrences.items()), reverse=True)
    old = [(value, part) for value, part in values if part in existing]
    new = [
        (value, part)
        for value, part in values
        if len(followers[part]) > 1 and len(part) <= longest and part not in existing
    ]
    chars = sorted(((n, char) for char, n in letters.items()), reverse=True)
    chosen = chars + old + new[: max(1, size - len(chars) - len(old))]
    total = math.log(sum(value for value, _ in chosen))
    return [(piece, math.log(value) - total) for value, piece in chosen]


# --8<-- [end:seeds]


# --8<-- [start:lattice]
class Model:
    """Pieces from number 1 on; number 0 is an unknown character."""

    def __init__(self, pieces: Scored) -> None:
        self.numbers = {piece: number for number, (piece, _) in enumerate(pieces, 1)}
        lowest = min((score for _, score in pieces), default=0.0)
        self.lowest = lowest
        self.scores = [lowest - 10, *(score for _, score in pieces)]
        self.longest = max((len(piece) for piece, _ in pieces), default=1)

    def lattice(self, word: str) -> list[Node]:
        """Every piece wherever it stands; an unknown character where no piece of one character does."""
        nodes = []
        for begin in range(len(word)):
            for end in range(begin + 1, min(len(word), begin + self.longest) + 1):
                if word[begin:end] in self.numbers:
                    nodes.append((begin, end, self.numbers[word[begin:end]]))
            if word[begin] not in self.numbers:
                nodes.append((begin, begin + 1, UNKNOWN))
        return nodes

    def forward(self, nodes: list[Node], size: int, without: int | None = None) -> list[float]:
        """For every place the log of the summed probability of all paths from the beginning to it."""
        alpha = [0.0]
        for at in range(1, size + 1):
            alpha.append(
                log_sum([self.scores[p] + alpha[b] for b, e, p in nodes if e == at and p != without] or [-math.inf])
            )
        return alpha

    def backward(self, nodes: list[Node], size: int) -> list[float]:
        """For every place the log of the summed probability of all paths from it to the end."""
        beta = [0.0] * (size + 1)
        for at in range(size - 1, -1, -1):
            beta[at] = log_sum([self.scores[p] + beta[e] for b, e, p in nodes if b == at])
        return beta

    # --8<-- [end:lattice]

    def best(self, nodes: list[Node], size: int) -> tuple[list[int], dict[Node, float]]:
        """The best path and the score of the best path that ends with each node."""
        reached: dict[Node, float] = {}
        before: dict[Node, Node | None] = {}
        for node in [*nodes, (size, size, -1)]:
            score = 0.0 if node[0] == size else self.scores[node[2]]
            lefts = (
                [(reached[left] + score, left) for left in nodes if left[1] == node[0]] if node[0] else [(score, None)]
            )
            reached[node], before[node] = max(lefts, key=lambda left: left[0])
        path, node = [], before[(size, size, -1)]
        while node is not None:
            path.append(node[2])
            node = before[node]
        return path[::-1], reached


def two_best(model: Model, piece: str, largest: int = 100_000) -> list[list[int]]:
    """The two best paths: A* from the end, with the agenda of dary_heap (4 children, of equal ones the later rises).

    An agenda beyond the largest is cut to its 20 best.
    """
    size = len(piece)
    nodes = model.lattice(piece)
    _, reached = model.best(nodes, size)
    heap: list[tuple[float, float, int, tuple[int, ...]]] = []

    def push(hypothesis: tuple[float, float, int, tuple[int, ...]], hole: int) -> None:
        while hole > 0 and not hypothesis[0] < heap[(hole - 1) // 4][0]:
            heap[hole] = heap[(hole - 1) // 4]
            hole = (hole - 1) // 4
        heap[hole] = hypothesis

    def pop() -> tuple[float, float, int, tuple[int, ...]]:
        last = heap.pop()
        if not heap:
            return last
        top, hole = heap[0], 0
        while 4 * hole + 1 < len(heap):
            children = range(4 * hole + 1, min(4 * hole + 5, len(heap)))
            child = max(children, key=lambda i: heap[i][0])
            heap[hole] = heap[child]
            hole = child
        push(last, hole)
        return top

    heap.append((0.0, 0.0, size, ()))
    found = []
    while heap and len(found) < 2:
        _, behind, at, path = pop()
        if at == -1:
            found.append(list(path))
            continue
        for begin, end, number in nodes:
            if end == at:
                score = model.scores[number]
                total = reached[begin, end, number] + behind
                heap.append((0.0, 0.0, 0, ()))
                push((total, score + behind, begin, (number, *path)), len(heap) - 1)
        if at == 0:
            heap.append((0.0, 0.0, 0, ()))
            push((behind, behind, -1, path), len(heap) - 1)
        if len(heap) > largest:
            best = [pop() for _ in range(20)]
            heap.clear()
            for hypothesis in best:
                heap.append(hypothesis)
                push(hypothesis, len(heap) - 1)
    return found


# --8<-- [start:em]
def e_step(counts: dict[str, int], model: Model) -> tuple[list[float], float]:
    """How often each piece is expected in the corpus, and the negative log-likelihood of a word on average."""
    expected, objective = [0.0] * len(model.scores), 0.0
    total = float(sum(counts.values()))
    for word, count in counts.items():
        nodes = model.lattice(word)
        alpha, beta = model.forward(nodes, len(word)), model.backward(nodes, len(word))
        z = alpha[-1]
        for begin, end, number in nodes:
            expected[number] += count * math.exp(alpha[begin] + model.scores[number] + beta[end] - z)
        objective -= count * z / total
    return expected, objective


def m_step(pieces: Scored, expected: list[float], em: str, stays: Collection[str] = ()) -> Scored:
    """New scores from expected counts; pieces that are expected less than half a time are dropped."""
    floored = [(piece, max(e, 0.5 * (piece in stays))) for (piece, _), e in zip(pieces, expected[1:], strict=True)]
    kept = [(piece, e) for piece, e in floored if e >= 0.5]
    total = 0.0
    for _, e in kept:
        total += e
    if em == "plain":
        return [(piece, math.log(e) - math.log(total)) for piece, e in kept]
    return [(piece, digamma(e) - digamma(total)) for piece, e in kept]


# --8<-- [end:em]


# --8<-- [start:prune]
def frequencies(counts: dict[str, int], model: Model) -> list[int]:
    """How often each piece stands in the best segmentations."""
    freq = [0] * len(model.scores)
    for word, count in counts.items():
        for number in model.best(model.lattice(word), len(word))[0]:
            freq[number] += count
    return freq


def exact_losses(counts: dict[str, int], model: Model) -> list[float]:
    """For each piece, the likelihood with it less the likelihood without it, from scratch."""
    losses = [0.0] * len(model.scores)
    for word, count in counts.items():
        nodes = model.lattice(word)
        z = model.forward(nodes, len(word))[-1]
        for number in {p for _, _, p in nodes}:
            if number and not any(e - b == 1 for b, e, p in nodes if p == number):
                losses[number] += count * (z - model.forward(nodes, len(word), number)[-1])
    return [loss / sum(counts.values()) for loss in losses]


def prune(
    counts: dict[str, int], pieces: Scored, target: int, prune_loss: str, endless: bool, stays: Collection[str] = ()
) -> Scored:
    """The pieces that cannot be replaced, then those with the highest loss, until there are as many as the target."""
    model = Model(pieces)
    if prune_loss == "exact":
        losses = exact_losses(counts, model)
        kept = [entry for entry in pieces if len(entry[0]) == 1 or entry[0] in stays]
        others = sorted(((-losses[n], n) for n, (p, _) in enumerate(pieces, 1) if len(p) > 1 and p not in stays))
        return kept + [pieces[n - 1] for _, n in others[: max(0, target - 1 - len(kept))]]
    freq = frequencies(counts, model)
    words, total = sum(counts.values()), float(sum(freq))
    kept, weighed = [], []
    for number, entry in enumerate(pieces, 1):
        paths = two_best(model, entry[0])
        needed = len(paths) == 1 or len(paths[0]) == 1
        alternatives = paths[1] if len(paths) == 2 and len(paths[0]) == 1 else []
        if freq[number] == 0 and not needed and entry[0] not in stays:
            continue
        if not alternatives or entry[0] in stays:
            kept.append(entry)
        elif freq[number]:
            many = len(pieces) + 1 if prune_loss == "hf" else len(alternatives)
            f = float(freq[number])
            log_total = math.log(total + f * (many - 1))
            replaced = 0.0
            for other in alternatives:
                replaced += math.log(freq[other] + f) - log_total
            weighed.append((f / words * (math.log(f) - math.log(total) - replaced), entry))
    weighed.sort(key=lambda candidate: -candidate[0])
    room = target - 1 - len(kept)
    if room < 0:
        room = len(weighed) if endless else 0
    return kept + [entry for _, entry in weighed[:room]]


# --8<-- [end:prune]


def train(
    counts: dict[str, int],
    vocab_size: int,
    shrinking_factor: float = 0.75,
    max_piece_length: int = 16,
    n_sub_iterations: int = 2,
    seed_size: int = 1_000_000,
    em: str = "bayes",
    prune_loss: str = "hf",
    compat: str | None = "hf-0.23",
) -> tuple[Scored, list[tuple[int, float]]]:
    """The pieces by score without special tokens, and the trace: size, with the unknown piece, and objective a step."""
    counts = dict(sorted(counts.items()))
    pieces = seeds(counts, max_piece_length, seed_size)
    desired = vocab_size * 11 // 10
    trace = []
    while True:
        for _ in range(n_sub_iterations):
            expected, objective = e_step(counts, Model(pieces))
            pieces = m_step(pieces, expected, em)
            trace.append((len(pieces) + 1, objective))
        if len(pieces) + 1 <= desired:
            break
        before = len(pieces)
        target = max(desired, int((len(pieces) + 1) * shrinking_factor))
        pieces = prune(counts, pieces, target, prune_loss, compat is not None)
        if compat is None and len(pieces) == before:
            break
    scores = dict(pieces)
    lowest = Model(pieces).lowest
    final, penalty = [], 0.0
    for char in sorted(set("".join(counts))):
        final.append((char, scores[char] if char in scores else lowest + penalty))
        penalty += 0.0 if char in scores else 0.0001
    others = [entry for entry in pieces if len(entry[0]) > 1]
    if compat is None:
        others.sort(key=lambda entry: -entry[1])
        others = others[: vocab_size - len(final)]
    elif len(final) < vocab_size:
        others = others[: vocab_size - len(final)]
    return sorted(final + others, key=lambda entry: -entry[1]), trace


def extend(
    existing: Scored,
    special: Collection[str],
    counts: dict[str, int],
    vocab_size: int,
    shrinking_factor: float = 0.75,
    max_piece_length: int = 16,
    n_sub_iterations: int = 2,
    seed_size: int = 1_000_000,
    em: str = "bayes",
    prune_loss: str = "hf",
) -> tuple[Scored, list[tuple[int, float]]]:
    """The entries by id, first those there were, with scores learnt anew; and the trace."""
    counts = dict(sorted(counts.items()))
    old = [piece for piece, _ in existing]
    stays = set(old) - set(special)
    pieces = seeds(counts, max_piece_length, seed_size, stays)
    n_old = sum(piece in stays for piece, _ in pieces)
    desired = 1 + n_old + max(0, vocab_size - len(old)) * 11 // 10
    trace = []
    while True:
        before = len(pieces)
        for _ in range(n_sub_iterations):
            expected, objective = e_step(counts, Model(pieces))
            pieces = m_step(pieces, expected, em, stays)
            trace.append((len(pieces) + 1, objective))
        if len(pieces) + 1 <= desired:
            break
        target = max(desired, int((len(pieces) + 1) * shrinking_factor))
        pieces = prune(counts, pieces, target, prune_loss, False, stays)
        if len(pieces) == before:
            break
    scores, lowest, penalty = dict(pieces), min((score for _, score in pieces or existing), default=0.0), 0.0
    vocab = [(piece, score if piece in special else scores.get(piece, score)) for piece, score in existing]
    vocab += [(token, 0.0) for token in special if token not in old]
    new = []
    for char in sorted(set("".join(counts))):
        score = scores[char] if char in scores else lowest + penalty
        penalty += 0.0 if char in scores else 0.0001
        if char not in old and char not in special:
            new.append((char, score))
    others = [entry for entry in pieces if len(entry[0]) > 1 and entry[0] not in old and entry[0] not in special]
    others = sorted(others, key=lambda entry: -entry[1])[: max(0, vocab_size - len(vocab) - len(new))]
    return vocab + sorted(new + others, key=lambda entry: -entry[1]), trace
