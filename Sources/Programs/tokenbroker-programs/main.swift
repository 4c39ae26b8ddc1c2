// One executable contains all programs, so that they share one Swift runtime. Its name selects the program.
import BrokerCommands
import BrokerDaemon
import Dispatch
import Files
import Foundation
import TasksCommands
import TasksDaemon

// This call must precede any code that opens a descriptor, including the first `await`.
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
        let line = "tokenbroker-programs: error: run it through a link named \(names)\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        exit(64)
    }
    exit(0)
}
dispatchMain()
