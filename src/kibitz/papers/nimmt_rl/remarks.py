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
        "Playing a deal from every seat makes the mean of one player no more certain, and its "
        "lead over the random ones hardly: five hands of a deal are five different hands. What it "
        "removes is luck between players that are compared on the same cards: in figure 4.2 the "
        "difference of two mild rigs is known to ±0.09 where unpaired deals would leave ±0.14.",
    ),
    "figure-3.3": (
        _PICTURE,
        "A running Elo of some hundred games swings by a hundred points, so which of the good "
        "ones stays longest is luck; that ACER, D3QN and random go early is not.",
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
        "The paper sees no difference. There is one, for 30,000 games a small one: who keeps "
        "cards with many heads back takes half a head less. Games won are the same within 0.6 %.",
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
        "As in the paper isolated cards first are better: by half a head with a strength of -5, "
        "by one at most.",
    ),
    "figure-4.7": (
        "As in the paper the best is about as good as the value rig, with distance over points: "
        "10.6 heads from alpha 20 on, where that rig takes 10.9. Without the distance, alpha 0, "
        "half a head is gained.",
        "The text adds the minimum for a negative strength and the maximum for a positive one: "
        "that is what we do.",
    ),
    "figure-5.1": (
        "Ours stays around 45, an error of 6.7 heads, where the paper has 16. That is close to "
        "the spread of a whole score, so little is predicted. What the paper's number is a mean "
        "of, its text does not say.",
    ),
    "figure-5.2": (
        "The same number, but not the same meaning. The paper takes 12.5 for quite deterministic; "
        "a network that knows nothing has log(10!) = 15.1. A mean of 12.6 over nine decisions "
        "gives the card that is played 25 % where drawing blindly gives 19 %.",
    ),
    "table-5.1": (
        "No discount factor is better than another, here as there: its differences of 1 to 3 % "
        "are those of 1,400 games. All our players win more than theirs, by 6 to 12 %. A likely "
        "reason is memory: our simulations never deal a card that has been seen, and the paper's "
        "numbers of a position do not hold those.",
        _THREE_LEARNERS,
        "The PUCTAgent has no value to discount: its three rows are one.",
    ),
    "table-5.2": (
        "The paper has the PUCTAgent a head ahead of the three that predict. Ours are within half "
        "a head of each other, which is what three learners leave open.",
        _THREE_LEARNERS,
    ),
    "table-5.5": (
        "Moves in training take 1.3 to 1.5 times as long as in play (table 5.4). What is added "
        "grows with the simulations, so it is hardly the learning; a busier processor is "
        "likelier.",
    ),
    "table-5.7": (
        "As in the paper DirV beats the PUCTAgent in equal time, by 2.0 heads here and 1.2 there. "
        "Both are stronger than theirs, and the random ones pay for it.",
        "Equal time is the paper's: 200 simulations for 50. Here DirV(200) takes a third of the "
        "time of PUCT(50) (table 5.4).",
    ),
    "figure-a.2": (_PICTURE,),
    "table-4.1": (
        "Random plays close as often as there. So does Alpha0.5 at distances up to 2, and a "
        "little more often at 3 and 4, where the rig changes more of its moves and costs it less.",
        "A performance of 300 games has ±0.1 to ±0.15 here, and a similar margin there: few "
        "single ones of the paper's say which strategy is better.",
    ),
    "figure-4.4": (
        "The paper sees no dependence on the cards on the table. Ours plays a safe card when "
        "there is one as rarely as random on the first turn, and about twice as often from eleven "
        "cards on.",
    ),
    "table-4.2": (
        "The order is the other way round: a centre of 104 costs most here and least there. "
        "Alpha0.5 values cards in heads, and with a deviation of 20 the rig can outweigh ten of "
        "them. What the paper multiplied is not known well enough to tell why.",
    ),
    "table-4.3": (
        "The paper takes 1.065 and 1.022 for a sign that isolated cards are good, and counts the "
        "rig with -5 as a bot that beats Alpha0.5. Its own 300 games leave ±0.11, and ours say "
        "0.88 and 0.98: no rig is better than none, and -5 is not told apart from it.",
        "All our similarities are lower, so our strengths are likely to weigh more than the "
        "paper's.",
    ),
    "table-4.4": (
        "Apart in most rows. A strength of 1 adds a head for each unit of risk, and the paper "
        "does not say how large its own was; with alpha 15 ours weighs more, and changes more "
        "moves.",
        "In both, avoiding risk is better than seeking it if distance counts, and worse than no "
        "rig.",
    ),
    "table-5.3": (
        "The paper's three predictors are nearly two heads behind the PUCTAgent. Ours are level "
        "with it, but for Predict Q, which is half a head behind.",
        _THREE_LEARNERS,
    ),
    "table-5.4": (
        "Times per simulation are 1,800 to 8,600 times shorter. DirV is ten times as fast as the "
        "PUCTAgent, where the paper has four; MCS, which needs no network, is faster still.",
    ),
    "figure-5.3": (
        "As in the paper the time of full playouts falls with the cards that are left. That of "
        "DirV does not: its simulations are one turn long.",
    ),
    "table-5.6": (
        "As in the paper MCS(1200) is ahead of PUCT(200), and HIGHEST is last. Directed playouts "
        "are not worse than random ones here: MCS_Mod(1000) is level with MCS(1200), where the "
        "paper found, inexplicably as it says, that they play poorly.",
    ),
    "figure-a.1": (
        _PICTURE,
        "As the text says, PUCT is only a little better than MCS with as many simulations, and it "
        "takes twenty to thirty times as long. DirV is ahead with few simulations and gains "
        "little from more than 50.",
    ),
}
