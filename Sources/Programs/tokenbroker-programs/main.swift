// One executable carries the programs, since each would otherwise bring the language's runtime along once more. The name it is
// run under says which of them it is.
import BrokerCommands
import BrokerDaemon
import Dispatch
import Files
import Foundation
import TasksCommands
import TasksDaemon

// Before anything is opened, concurrency's own descriptors among it, which the first await brings along.
StandardStreams.occupy()
let path = CommandLine.arguments.first ?? ""
let name = path.split(separator: "/", omittingEmptySubsequences: false).last
switch name {
case "tokenbrokerd": TokenbrokerdProgram.prepare()
case "tokenbroker": TokenbrokerProgram.prepare()
case "tasks": TasksProgram.prepare()
default: break
}
Task {
    switch name {
    case "tokenbrokerd": await TokenbrokerdProgram.run()
    case "tokenbroker": await TokenbrokerProgram.run()
    case "tasksd": await TasksdProgram.run()
    case "tasks": await TasksProgram.run()
    default:
        let names = "tokenbrokerd, tokenbroker, tasksd or tasks"
        let line = "tokenbroker-programs: error: run it under the name \(names), by a link to it\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        exit(64)
    }
    exit(0)
}
dispatchMain()
