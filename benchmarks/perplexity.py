"""Compares perplexity with evaluate's algorithm and with scoring texts one by one; prints the README's tables.

    python benchmarks/perplexity.py [--data FOLDER] [--device cpu] [--texts 150] [--layers 4] [--width 256]

The texts are lines of wikitext2, whose lengths differ widely.  The model is a GPT-2 with random weights, in float32,
with a window of 1024.  The README has 4 layers of 256 with a vocabulary of 16,000, 6 of 64 with 4,000, and
DistilGPT-2's 6 of 768 with 50,257 (--texts 20).  The perplexities are asserted equal within a relative 1e-5 before
anything is printed.

Each program runs in a separate process, and all run in turn, --rounds times.  The least wall time and the least
processor time of all cores count.  Both include tokenizing and exclude imports and loading.  torch uses all cores, or
OMP_NUM_THREADS of them.  evaluate 0.4.6 itself does not run on transformers 5, so this script contains its algorithm:
all texts padded to the longest one, batches of 16 in the given order, all logits.
Peer and model: pip install torch transformers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

WINDOW = 1024

# The common start of all programs. Each then defines score(texts), which returns one perplexity per text.
_COMMON = """
import json, math, sys, time
import torch, transformers
folder, corpus, device, repeats, out = sys.argv[1:]
texts = json.load(open(corpus))
transformers.logging.disable_progress_bar()
tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
model = transformers.AutoModelForCausalLM.from_pretrained(folder).to(device).eval()

def memory():
    if device.startswith("cuda"):
        return torch.cuda.max_memory_allocated() / 2**20
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

def now():
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter()
"""

_MEASURE = """
score(texts[:2])
loaded, seconds, processor = memory(), [], []
for _ in range(int(repeats)):
    start, used = now(), time.process_time()
    perplexities = score(texts)
    seconds.append(now() - start)
    processor.append(time.process_time() - used)
measured = {"seconds": min(seconds), "processor": min(processor), "megabytes": memory() - loaded}
json.dump({**measured, "perplexities": perplexities}, open(out, "w"))
"""

_OURS = """
import numpy as np
from evenscore.perplexity.models.source import load_source
source = load_source(model=model, tokenizer=tokenizer)
def score(texts):
    scores = source.score(texts, None)
    nll = -np.add.reduceat(scores.log_probs, scores.offsets[:-1])
    return np.exp(nll / np.diff(scores.offsets)).tolist()
"""

_STOCK = """
@torch.inference_mode()
def score(texts):
    encoded = tokenizer(texts, add_special_tokens=False)["input_ids"]
    width = max(map(len, encoded)) + 1
    ids = torch.zeros((len(texts), width), dtype=torch.long, device=device)
    mask = torch.zeros_like(ids)
    for i, row in enumerate(encoded):
        ids[i, : len(row) + 1] = torch.tensor([tokenizer.bos_token_id, *row], device=device)
        mask[i, : len(row) + 1] = 1
    result = []
    for start in range(0, len(texts), 16):
        rows, real = ids[start : start + 16], mask[start : start + 16]
        logits = model(rows, attention_mask=real).logits[:, :-1].contiguous()
        nll = torch.nn.functional.cross_entropy(logits.transpose(1, 2), rows[:, 1:], reduction="none") * real[:, 1:]
        result += torch.exp(nll.sum(1) / real[:, 1:].sum(1)).tolist()
    return result
"""

_ONE_BY_ONE = """
@torch.inference_mode()
def score(texts):
    result = []
    for text in texts:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        logits = model(torch.tensor([[tokenizer.bos_token_id, *ids]], device=device)).logits[0, :-1]
        nll = torch.nn.functional.cross_entropy(logits, torch.tensor(ids, device=device))
        result.append(math.exp(nll.item()))
    return result
"""

PROGRAMS = {"evenscore": _OURS, "evaluate's algorithm": _STOCK, "one by one": _ONE_BY_ONE}


class Run(NamedTuple):
    """The results of a program: best seconds, seconds of all cores, MB above the loaded model, all perplexities."""

    seconds: float
    processor: float
    megabytes: float
    perplexities: list[float]


class Setting(NamedTuple):
    """The model's folder and device, the number of repeats per process, and the number of processes."""

    folder: Path
    device: str
    repeats: int
    rounds: int


def run(name: str, texts: list[str], setting: Setting) -> Run:
    """Score the texts in a separate process."""
    corpus, out = setting.folder / "texts.json", setting.folder / "result.json"
    corpus.write_text(json.dumps(texts), encoding="utf-8")
    arguments = (str(setting.folder), str(corpus), setting.device, str(setting.repeats), str(out))
    program = _COMMON + PROGRAMS[name] + _MEASURE
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Run(**json.loads(out.read_text(encoding="utf-8")))


def save_model(training: Path, folder: Path, known: Any) -> Any:
    """Save a GPT-2 with random weights and a tokenizer trained on a file, and return the tokenizer."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    end = "<|endoftext|>"
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=known.vocabulary, special_tokens=[end], show_progress=False)
    tokenizer.train([str(training)], trainer)
    whole = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=end, eos_token=end)
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=max(len(whole), known.vocabulary), n_positions=WINDOW, n_embd=known.width, n_layer=known.layers,
        n_head=max(1, known.width // 64), bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    transformers.logging.disable_progress_bar()
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    whole.save_pretrained(folder)
    return whole


def compare(texts: list[str], tokenizer: Any, setting: Setting) -> None:
    """Run all programs, compare their results, and print the table of times."""
    tokens = sum(map(len, tokenizer(texts, add_special_tokens=False)["input_ids"]))
    rounds = [{name: run(name, texts, setting) for name in PROGRAMS} for _ in range(setting.rounds)]
    ours = rounds[0]["evenscore"]
    for name, other in rounds[0].items():
        np.testing.assert_allclose(ours.perplexities, other.perplexities, rtol=1e-5, err_msg=name)
    print(f"{len(texts)} texts, {tokens} tokens, {setting.device}\n")
    print("| program | seconds | tokens/s | ours is faster by | seconds of all cores | by | MB above the model |")
    print("|---|---|---|---|---|---|---|")
    for name in PROGRAMS:
        wall, mine = (min(each[asked].seconds for each in rounds) for asked in (name, "evenscore"))
        cpu, own = (min(each[asked].processor for each in rounds) for asked in (name, "evenscore"))
        memory = min(each[name].megabytes for each in rounds)
        cells = (f"{wall:.2f}", f"{tokens / wall:.0f}", f"{wall / mine:.2f}x", f"{cpu:.2f}", f"{cpu / own:.2f}x")
        print("|", " | ".join((name, *cells, f"{memory:.0f}")), "|", flush=True)


def growth(texts: list[str], tokenizer: Any, setting: Setting) -> None:
    """Print the memory for two lengths of the longest text, the second one double."""
    joined = " ".join(texts)
    ends = [end for _, end in tokenizer(joined, return_offsets_mapping=True)["offset_mapping"]]
    longest = (WINDOW // 2 - 24, WINDOW - 48)
    print("\n| program | " + " | ".join(f"MB, longest text {size} tokens" for size in longest) + " |\n|---|---|---|")
    short = [text for text in texts if len(text) < 1000][:64]
    for name in PROGRAMS:
        peaks = [run(name, [*short, joined[: ends[size]]], setting).megabytes for size in longest]
        print(f"| {name} | {peaks[0]:.0f} | {peaks[1]:.0f} |", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--texts", type=int, default=150)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--vocabulary", type=int, default=16000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    known: Any = parser.parse_args()
    text = known.data / "text"
    lines = (text / "wikitext2.test.txt").read_text(encoding="utf-8").split("\n")
    texts = [line for line in lines if line.strip()][: known.texts]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        tokenizer = save_model(text / "wikitext2.valid.txt", folder, known)
        setting = Setting(folder, known.device, known.repeats, known.rounds)
        compare(texts, tokenizer, setting)
        growth(texts, tokenizer, setting)


if __name__ == "__main__":
    main()
