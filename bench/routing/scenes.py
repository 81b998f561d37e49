"""Models whose speed, price and health change while a route uses them, in simulated time; and the
rules by which gateways, that send each call at once, choose among them."""
import dataclasses
import heapq
import random
import statistics

SEED = 1
PRICE_NANOS = 1_000_000  # of a call of price 1
BACKOFF_S = 1.0  # of a failed call, as Sluice's: 0 to 2 s
TIMEOUT_S = 10.0


@dataclasses.dataclass
class Change:
    """What a model is like from that second on."""
    at_s: float
    seconds: float  # of a call, in the mean
    price: float = 1.0  # of a call
    health: str = "well"  # fails: errors at once; hangs: no answer until the time-out
    error_share: float = 0.0  # of calls, of a model that is well


@dataclasses.dataclass
class Scene:
    name: str
    models: dict  # name: its changes, the first at 0
    windows: list  # (begin, end) in which calls are judged
    calls_per_s: float = 20.0
    places: int | None = None  # calls that each model works on at once; others wait there
    deadline_s: float | None = None
    deadline_share: float = 0.0  # of the tasks, that have one
    end_s: float = dataclasses.field(init=False)

    def __post_init__(self):
        self.end_s = self.windows[-1][1]

    def state(self, model, now_s):
        return [c for c in self.models[model] if c.at_s <= now_s][-1]

    def arrivals(self, seed):
        """(second, deadline or None), as they would come from many clients."""
        random_ = random.Random(seed)
        now_s, found = 0.0, []
        while (now_s := now_s + random_.expovariate(self.calls_per_s)) < self.end_s:
            has = random_.random() < self.deadline_share
            found.append((now_s, now_s + self.deadline_s if has else None))
        return found


class Backends:
    """The models of a scene. Calls take 70 to 130 % of the mean, drawn from the seed."""

    def __init__(self, scene, seed):
        self.scene, self.random = scene, random.Random(seed)
        self.busy = {name: [] for name in scene.models}  # ends of the calls that have a place
        self.under_way = {name: [] for name in scene.models}  # ends of all

    def call(self, model, now_s):
        """(when it ends, whether it is answered, what it costs)"""
        state = self.scene.state(model, now_s)
        draw, fault = self.random.uniform(0.7, 1.3), self.random.random()
        if state.health == "hangs":
            end_s = now_s + TIMEOUT_S
        elif state.health == "fails":
            end_s = now_s + 0.05
        else:
            end_s = self._begin(model, now_s) + state.seconds * draw
            if self.scene.places:
                heapq.heappush(self.busy[model], end_s)
        heapq.heappush(self.under_way[model], end_s)
        is_well = state.health == "well" and fault >= state.error_share
        return end_s, is_well, state.price if is_well else 0.0

    def _begin(self, model, now_s):
        """When a call has a place at the model."""
        busy = self.busy[model]
        while busy and busy[0] <= now_s:
            heapq.heappop(busy)
        if self.scene.places is None or len(busy) < self.scene.places:
            return now_s
        return heapq.heappop(busy)

    def calls(self, model, now_s):
        """How many are under way."""
        ends = self.under_way[model]
        while ends and ends[0] <= now_s:
            heapq.heappop(ends)
        return len(ends)


@dataclasses.dataclass
class Done:
    """What became of a task."""
    submitted_s: float
    deadline_s: float | None
    begun_s: float  # of its last call
    ended_s: float
    model: str  # of that
    price: float


class RoundRobin:
    def __init__(self, scene):
        self.names, self.next = sorted(scene.models), 0

    def choose(self, backends, now_s, random_):
        self.next += 1
        return self.names[self.next % len(self.names)]


class LeastBusy:
    """LiteLLM's documented rule: the deployment with the fewest calls under way; of several the
    first one."""

    def __init__(self, scene):
        self.names = sorted(scene.models)

    def choose(self, backends, now_s, random_):
        return min(self.names, key=lambda name: backends.calls(name, now_s))


class Split:
    """A fixed one, drawn."""

    def __init__(self, weights):
        self.weights = weights

    def choose(self, backends, now_s, random_):
        return random_.choices(list(self.weights), self.weights.values())[0]


def send(scene, rule, seed):
    """Each task goes at once to the model that the rule chooses, and after a failure once more."""
    backends, random_ = Backends(scene, seed), random.Random(seed)
    events = [(at_s, n, at_s, deadline_s)
        for n, (at_s, deadline_s) in enumerate(scene.arrivals(seed))]
    heapq.heapify(events)
    done = []
    while events:
        now_s, n, submitted_s, deadline_s = heapq.heappop(events)
        model = rule.choose(backends, now_s, random_)
        end_s, is_well, price = backends.call(model, now_s)
        if is_well:
            done.append(Done(submitted_s, deadline_s, now_s, end_s, model, price))
        elif end_s < scene.end_s + 2 * TIMEOUT_S:
            again_s = end_s + random_.uniform(0, 2 * BACKOFF_S)
            heapq.heappush(events, (again_s, n, submitted_s, deadline_s))
    return done


def within(done, window):
    """Tasks submitted in a window."""
    return [d for d in done if window[0] <= d.submitted_s < window[1]]


def mean_s(done):
    return statistics.fmean(d.ended_s - d.submitted_s for d in done)


def share(done, model):
    return sum(d.model == model for d in done) / max(1, len(done))


def splits(names, steps=20):
    """All ways to share 100 % in steps."""
    if len(names) == 1:
        yield {names[0]: steps}
        return
    for part in range(steps + 1):
        for rest in splits(names[1:], steps - part):
            yield {names[0]: part, **rest}


def best_split(scene, window, seed):
    """(mean seconds, weights) of the fixed split that is fastest in a window, if all of the scene
    were like that window."""
    still = Scene(scene.name,
        {m: [dataclasses.replace(scene.state(m, window[0]), at_s=0)] for m in scene.models},
        [(30, 60)], scene.calls_per_s, scene.places)
    names = [m for m in scene.models if still.state(m, 0).health == "well"]
    return min(((mean_s(within(send(still, Split(weights), seed), (30, 60))), weights)
                for weights in splits(names, 10 if len(names) > 2 else 20)
                if any(weights.values())), key=lambda found: found[0])


def recovered_after_s(done, change_s, model, share_min, width_s=5):
    """How long after a change a model had such a share of the calls begun; None: not at all."""
    for second in range(int(change_s), int(max(d.begun_s for d in done)) - width_s):
        begun = [d for d in done if second <= d.begun_s < second + width_s]
        if begun and share(begun, model) >= share_min:
            return second + width_s - change_s
    return None
