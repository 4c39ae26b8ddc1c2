import BrokerAPI
import Foundation
import NIOPosix
import OAuth
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PythonExampleTests {
    @Test("any language can use the socket: the example prints only the token") func token() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve(["token.acquire": { _ in ["kind": "token", "token": tokenJSON] }]) {
            let run = try await runExample(broker.path, ["tasks.read", "tasks.write"])
            #expect(run.status == 0)
            #expect(run.output == "t\n")
            #expect(broker.received.first?.params == ["scopes": ["tasks.read", "tasks.write"], "prompt": "none"])
        }
    }

    @Test("a refusal of the broker ends the example with a sentence and the reason") func refusal() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve([:]) {
            let run = try await runExample(broker.path, [])
            #expect(run.status == 1)
            #expect(run.output.isEmpty)
            #expect(run.errors == "python_client: error: There is no method with this name. (method_not_found)\n")
        }
    }

    private func runExample(
        _ socket: String,
        _ scopes: [String]
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await NIOThreadPool.singleton.runIfActive {
            let (output, errors) = (Pipe(), Pipe())
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", ProjectFolder.path + "/Examples/python_client.py"] + scopes
            process.environment = ProcessInfo.processInfo.environment.merging(["TOKENBROKER_SOCKET": socket]) { $1 }
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            process.waitUntilExit()
            return (
                process.terminationStatus,
                String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
                String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            )
        }
    }
}
