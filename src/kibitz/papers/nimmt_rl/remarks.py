"""What the paper on learning 6 nimmt! makes of its numbers, and what ours say to that."""

_PICTURE = "The paper's numbers are a picture; only its text is compared."
_DEVIATION = (
    "The paper does not say how wide the normal distribution was, nor how large a strength is in "
    "bull heads: our readings are in the table above."
)
_THREE_LEARNERS = (
    "Three learners of each kind begin anew, and the intervals are over these three: what one "
    "learner becomes depends more on its first weights than on the cards of 1,400 games."
)

REMARKS: dict[str, tuple[str, ...]] = {
    "figure-3.1": (
        "The paper finds that at least 30,000 games are needed for consistent results. How many "
        "are needed depends on what is asked: a mean score has ±0.95 after 300 games, ±0.52 after "
        "1,000 and ±0.09 after 30,000. To tell a difference of one head takes about 400 games, of "
        "a tenth about 40,000.",
        "The furthest of five runs says less than the standard error: it jumps from 0.3 to 0.4 "
        "and back between 300 and 10,000 games.",
        "Playing a deal from every seat makes the mean of one player no more certain, and its lead "
        "over the random ones hardly: five hands of a deal are five different hands. What it "
        "removes is luck between players that are compared on the same cards: in figure 4.2 the "
        "difference of two mild rigs is known to ±0.09 where unpaired deals would leave ±0.14.",
    ),
    "figure-3.3": (
        _PICTURE,
        "A running Elo of some hundred games swings by a hundred points, so which of the good ones "
        "stays longest is luck; that ACER, D3QN and random go early is not.",
    ),
    "figure-3.4": (
        _PICTURE,
        "As in the paper ACER and D3QN are about as bad as random, and Alpha0.5 and MCS are far "
        "above. Alpha0.5 begins there: an untrained network guides its playouts as well as a "
        "trained one, so it is the playouts that play.",
        "2,000 games are few, and these learners see the paper's 47 numbers. With more games and "
        "features of each card they do learn: see the recipes nimmt-acer and nimmt-d3qn.",
    ),
    "figure-4.2": (
        "The paper sees no difference. There is one, for 30,000 games a small one: who keeps cards "
        "with many heads back takes half a head less. Games won are the same within 0.6 %.",
    ),
    "figure-4.3": (
        "As in the paper closeness helps at every distance. It helps most at 5 to 10 cards from "
        "safety, and then a random player takes 3.1 heads less than its kind.",
    ),
    "figure-4.5": (
        "As in the paper high cards first are better, by up to 2.1 heads. Worst is to begin with "
        "cards around 30, not with the lowest: perhaps because these take a row at once, and the "
        "cheapest.",
        _DEVIATION,
    ),
    "figure-4.6": (
        "As in the paper isolated cards first are better: by half a head with a strength of -5, by "
        "one at most.",
    ),
    "figure-4.7": (
        "As in the paper the best is about as good as the value rig, with distance over points: "
        "10.6 heads from alpha 20 on, where that rig takes 10.9. Without the distance, alpha 0, "
        "half a head is gained.",
        "The text adds the minimum for a negative strength and the maximum for a positive one: "
        "that is what we do.",
    ),
    "figure-5.1": (
        "Ours stays around 45, an error of 6.7 heads, where the paper has 16. A score at a table "
        "of four has a standard deviation of 7, so ours says that hardly anything is predicted. "
        "What theirs is an average of, the text does not say.",
    ),
    "figure-5.2": (
        "The same number, but not the same meaning. The paper takes 12.5 for quite deterministic; "
        "a network that knows nothing has log(10!) = 15.1. A mean of 12.6 over nine decisions "
        "gives the card that is played 25 % where drawing blindly gives 19 %.",
    ),
    "table-5.1": (
        "No discount factor is better than another, here as there: its differences of 1 to 3 % are "
        "those of 1,400 games. All our players win more than theirs, by 6 to 12 %. A likely reason "
        "is memory: our simulations never deal a card that has been seen, and the paper's numbers "
        "of a position do not hold those.",
        _THREE_LEARNERS,
        "The PUCTAgent has no value to discount: its three rows are one.",
    ),
    "table-5.2": (
        "The paper has the PUCTAgent a head ahead of the three that predict. Ours are level "
        "within half a head: most of its lead is gone when all remember.",
        _THREE_LEARNERS,
    ),
    "table-5.5": ("Learning costs hardly more than play alone, as in the paper (table 5.4).",),
    "table-5.7": (
        "As in the paper DirV beats the PUCTAgent in equal time, by 2.0 heads here and 1.2 there. "
        "Both are stronger than theirs, and the random ones pay for it.",
        "Equal time is the paper's: 200 simulations for 50. Here DirV(200) takes a quarter of the "
        "time of PUCT(50) (table 5.4).",
    ),
    "figure-a.2": (_PICTURE,),
}
