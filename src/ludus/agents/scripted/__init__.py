"""Players of one game: decision trees and planners, one file a game."""
