import Terminal

await Program.run(TasksCommand.self)
