import Foundation
import LocalIssuer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ExampleTests {
    @Test("the tables example queries, changes and resolves a conflict against the real API") func example()
        async throws
    {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, _) = try await daemon.start()
            let token = try daemon.issuer.token(
                oid: "alice",
                scopes: "tasks.read tasks.write",
                now: Int64(Date.now.timeIntervalSince1970)
            )
            let outcome = try await Daemon.inThread { [port = daemon.port] in
                Result {
                    try BuiltProgram("example-tables").run(["http://localhost:\(port)"], input: token + "\n")
                }
            }.get()
            #expect(outcome.status == 0, "\(outcome.errors)")
            let expected = """
                page 1, 2 of 2
                  Buy a tree
                  Buy milk
                changed: Buy oat milk
                changed on the server: Buy oat milk
                done: Buy oat milk

                """
            #expect(outcome.output == expected)
            #expect(await daemon.stop(process) == 0)
        }
    }
}
