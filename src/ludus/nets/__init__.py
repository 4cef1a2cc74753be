"""Networks: one residual network for every game, over the shapes that the game declares.

spec       what a network is made of: its sizes and its named arrays
network    the same in torch, which trains it and folds its normalisation away
export     named arrays to and from ONNX
variants   the same network under several sets of rules: their boards, and what it is told of them
play       onnxruntime judges the leaves of a search on one thread
compiled   a network without a board, judged by compiled code within the search
images     the mean of what a network says of all images of a position
cuda       the arrays on a GPU, at three precisions
cells      what computes with them there, in Triton
hexaconv   another network, of the Organism paper; in 8 bits (hexaconv8, tiles) and 16 (hexaconv16, shorts), which share
           what was met of a board (patches, books)

A *cell* has so many channels. A layer is relu(bias + the sum over the cell and its neighbours of their channels times
that direction's matrix), so squares and hexagons of any size are one thing; a game without a board is a single cell.
Two layers make a block, whose input is added before the last relu. Then:

    the policy planes      a linear map of each cell
    the summary            relu of a linear map of the mean and the greatest of every channel; and, in a network for one
                           board alone, of a few narrow channels of each cell
    the other slots        a linear map of the summary
    the values             tanh of a linear map of the summary: one a seat, the viewer's first

What plays is an *evaluator*: an object whose `evaluate(leaves)` fills in the priors and values of a batch of leaves.
torch and onnxruntime are imported only where they are needed.
"""
