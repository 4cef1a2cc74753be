// A program for Ludus in JavaScript: it plays the middle of the menu, in any game.
//
//     ludus match connect_four "cmd:node bot.js" random

const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const told = JSON.parse(line);
  if (told.kind === "start") {
    console.error(`playing ${told.title} as player ${told.player + 1}`);
  } else if (told.kind === "act") {
    const middle = Math.floor(told.menu.length / 2);
    process.stdout.write(JSON.stringify({ action: told.menu[middle] }) + "\n");
  }
});
