"""A stranger's learner: masked PPO, one file in CleanRL's style, over ``gymnasium.make_vec``. It knows nothing of Ludus
but the name of the environment.

    python bench/ppo.py                                        connect four against random, to 90 % and more
    python bench/ppo.py --env ludus/Pivit-v0 --steps 2000000 --opponent greedy
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import gymnasium
import numpy as np
import torch
from torch import nn

import ludus.interop.gymnasium  # noqa: F401 (registers)
from ludus.arena.statistics import wilson

GAMMA, LAMBDA, CLIP, ENTROPY, VALUE, RATE = 0.99, 0.95, 0.2, 0.01, 0.5, 1e-3
EPOCHS, BATCHES = 4, 4


class Policy(nn.Module):
    def __init__(self, features: int, actions: int, width: int = 128):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.actor, self.critic = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        inner = self.body(seen)
        logits = self.actor(inner).masked_fill(mask == 0, -1e8)
        return torch.distributions.Categorical(logits=logits), self.critic(inner).squeeze(-1)


@dataclass
class Rollout:
    seen: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    logs: torch.Tensor
    values: torch.Tensor
    rewards: torch.Tensor
    done: torch.Tensor
    counts: torch.Tensor
    """0 for the steps on which the library begins a match anew: their actions do not count."""


def learn(name: str, opponent: str, steps: int, envs: int = 256, length: int = 32, seed: int = 0) -> Policy:
    torch.manual_seed(seed)
    env = gymnasium.make_vec(name, num_envs=envs, opponent=opponent)
    policy = Policy(env.single_observation_space["observation"].shape[0], int(env.single_action_space.n))
    optimiser = torch.optim.Adam(policy.parameters(), lr=RATE, eps=1e-5)
    observation, _ = env.reset(seed=seed)
    fresh, updates = np.zeros(envs, bool), max(1, steps // (envs * length))
    for update in range(updates):
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - update / updates)
        rollout, observation, fresh, after = collect(env, policy, observation, fresh, length)
        improve(policy, optimiser, rollout, *advantages(rollout, after))
    env.close()
    return policy


def collect(env, policy: Policy, observation: dict, fresh: np.ndarray, length: int):
    kept: list[tuple] = []
    with torch.no_grad():
        for _ in range(length):
            seen = torch.as_tensor(observation["observation"])
            mask = torch.as_tensor(observation["action_mask"])
            choice, value = policy(seen, mask)
            action = choice.sample()
            observation, reward, ended, cut, _ = env.step(action.numpy())
            done = torch.as_tensor(ended | cut).float()
            counts = torch.as_tensor(~fresh).float()
            kept.append(
                (seen, mask, action, choice.log_prob(action), value, torch.as_tensor(reward).float(), done, counts)
            )
            fresh = ended | cut
        after = policy(torch.as_tensor(observation["observation"]), torch.as_tensor(observation["action_mask"]))[1]
    return Rollout(*(torch.stack(part) for part in zip(*kept))), observation, fresh, after


def advantages(rollout: Rollout, after: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Generalised advantages; where a match ends nothing flows back over the end."""
    found, last = torch.zeros_like(rollout.rewards), torch.zeros_like(after)
    for t in reversed(range(len(rollout.rewards))):
        following = after if t == len(rollout.rewards) - 1 else rollout.values[t + 1]
        goes_on = 1 - rollout.done[t]
        delta = rollout.rewards[t] + GAMMA * following * goes_on - rollout.values[t]
        last = delta + GAMMA * LAMBDA * goes_on * last
        found[t] = last
    return found, found + rollout.values


def improve(policy: Policy, optimiser, rollout: Rollout, gains: torch.Tensor, targets: torch.Tensor) -> None:
    kept = rollout.counts.bool().flatten()
    parts = (rollout.seen, rollout.masks, rollout.actions, rollout.logs, gains, targets)
    seen, masks, actions, logs, gains, targets = (part.flatten(0, 1)[kept] for part in parts)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(seen)).chunk(BATCHES):
            choice, value = policy(seen[rows], masks[rows])
            gain = (gains[rows] - gains[rows].mean()) / (gains[rows].std() + 1e-8)
            ratio = (choice.log_prob(actions[rows]) - logs[rows]).exp()
            surrogate = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            loss = VALUE * (value - targets[rows]).pow(2).mean() - surrogate - ENTROPY * choice.entropy().mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimiser.step()


def score(policy: Policy, name: str, opponent: str, matches: int, seed: int = 1) -> tuple[int, int]:
    """Wins and matches of the policy's best actions, from every seat in turn."""
    env = gymnasium.make_vec(name, num_envs=matches, opponent=opponent)
    observation, _ = env.reset(seed=seed)
    done, wins = np.zeros(matches, bool), 0
    while not done.all():
        with torch.no_grad():
            choice, _ = policy(torch.as_tensor(observation["observation"]), torch.as_tensor(observation["action_mask"]))
        observation, reward, ended, cut, _ = env.step(choice.logits.argmax(-1).numpy())
        wins += int(((reward > 0) & ended & ~done).sum())
        done |= ended | cut
    return wins, matches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="ludus/ConnectFour-v0")
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    started = time.process_time()
    policy = learn(given.env, given.opponent, given.steps, seed=given.seed)
    used = time.process_time() - started
    wins, matches = score(policy, given.env, given.opponent, given.matches)
    found = wilson(wins, matches)
    share = f"{100 * found.value:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}] of {matches} matches won"
    print(f"{given.env} against {given.opponent}: {share}, after {given.steps:,} steps in {used:.0f} CPU-seconds")


if __name__ == "__main__":
    main()
