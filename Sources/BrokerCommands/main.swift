import Terminal

await Program.run(TokenbrokerCommand.self)
