"""An agent that ends the program that imports it."""

import os

os._exit(0)
