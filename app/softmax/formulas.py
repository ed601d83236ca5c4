"""The formulas over the steps of the chain, as MathML."""

from __future__ import annotations

from app.formulas import math

Q, K = "<mi>q</mi>", "<mi>k</mi>"
Q_HAT = "<mover><mi>q</mi><mo>^</mo></mover>"
K_HAT = "<mover><mi>k</mi><mo>^</mo></mover>"
S, P = "<mi>s</mi>", "<mi>p</mi>"
ROOT_D = "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>"
DOT, COMMA, MINUS, SLASH = "<mo>·</mo>", "<mo>,</mo>", "<mo>−</mo>", "<mo>/</mo>"


def number(text: str) -> str:
    """A number in a formula."""
    return f"<mn>{text}</mn>"


def parentheses(body: str) -> str:
    """(body)."""
    return f"<mo>(</mo>{body}<mo>)</mo>"


PROJECTED = math(f"{Q}{COMMA}{K}")
PREPARED = math(f"{Q_HAT}{COMMA}{K_HAT}")


def score(factor: float | None, factor_text: str) -> str:
    """q̂·k̂/√d_k, or with another factor, or with none."""
    product = f"{Q_HAT}{DOT}{K_HAT}"
    if factor is None:
        return math(f"{product}{SLASH}{ROOT_D}")
    return math(product if factor == 1 else f"{number(factor_text)}{DOT}{product}")


def capped(cap_text: str) -> str:
    """c·tanh(s/c), with c as a number where there is one."""
    if cap_text == "1":
        return math(f"<mi>tanh</mi>{parentheses(S)}")
    cap = number(cap_text) if cap_text else "<mi>c</mi>"
    return math(f"{cap}<mo>⁢</mo><mi>tanh</mi>{parentheses(f'{S}{SLASH}{cap}')}")


MASKED = math("<mo>−</mo><mi>∞</mi>")


def probability(temperature_text: str) -> str:
    """softmax(s), or softmax(s/T)."""
    inside = f"{S}{SLASH}{number(temperature_text)}" if temperature_text else S
    return math(f"<mi>softmax</mi>{parentheses(inside)}")


def slope(own: str) -> str:
    """∂p/∂s, and what it is without cap and temperature."""
    partial = f"<mfrac><mrow><mo>∂</mo>{P}</mrow><mrow><mo>∂</mo>{S}</mrow></mfrac>"
    plain = f"<mo>=</mo>{P}{parentheses(f'<mn>1</mn>{MINUS}{P}')}"
    return math(f"{partial}{own or plain}")
