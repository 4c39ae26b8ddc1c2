import Foundation
import HTTPServer
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests that an external authority's tokens are sent only to the origins that are configured for it.
@Suite(.timeLimit(.minutes(5)))
struct OutsideOriginTests {
    @Test("request, token, exec and the git helper send an authority's token to its origins only") func origins()
        async throws
    {
        let (theirs, ours) = (try RecordingAPI(), try RecordingAPI())
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let machine = try Machine(configuration: [
            "apis:",
            "  tasks: {audience: tasks, origins: [\"\(ours.base)\"], scopes: {tasks.read: Read, tasks.write: Change}}",
            "authorities:",
            "  contoso: {url: \"\(provider.issuer)\", clientId: \(provider.clientID), clientSecretFile: contoso.secret, "
                + "scopes: [files.read], origins: [\"\(theirs.base)\"]}",
        ])
        try machine.writeSecret(provider.secret, to: "etc/contoso.secret")
        try await provider.serve(socket) {
            let daemon = try machine.startBroker()
            let connection = try machine.connect()
            try Person.random().signUp(connection, on: machine)
            let started = try connection.call("token.acquire", ["policy": "contoso", "scopes": []])
            var (mine, other) = (WebBrowser(), WebBrowser())
            let link = try #require(started["flow"]?["browser"]?["url"]?.string)
            let there = try await other.open(try destination(of: try await mine.open(link)))
            #expect(try await mine.open(try destination(of: there)).status == 200)

            #expect(try machine.tokenbroker(["request", "--no-prompt", theirs.base + "/files"]).status == 0)
            #expect(try theirs.requests().last?.headers["authorization"] == "Bearer access-1")
            #expect(try machine.tokenbroker(["request", "--no-prompt", ours.base + "/tasks"]).status == 0)
            #expect(try ours.requests().last?.headers["authorization"]?.contains("access-1") == false)
            let token = try machine.tokenbroker(["token", "--no-prompt", "--for", theirs.base])
            #expect(token.output == "access-1\n", "\(token.errors)")
            let exec = try machine.tokenbroker([
                "exec", "--no-prompt", "--policy", "contoso", "--", "sh", "-c",
                "echo $ACCESS_TOKEN $ACCESS_TOKEN_ORIGINS",
            ])
            #expect(exec.output == "access-1 \(theirs.base)\n", "\(exec.output) \(exec.errors)")
            let git = try machine.tokenbroker(
                ["credential", "git", "get"],
                input: "capability[]=authtype\nprotocol=http\nhost=localhost:\(theirs.port)\n\n"
            )
            #expect(git.output.contains("credential=access-1"), "\(git.output) \(git.errors)")

            let docker = try machine.tokenbroker(["credential", "docker", "get"], input: "localhost:\(theirs.port)\n")
            let secret = try StrictJSON.parse(Array(docker.output.utf8))["Secret"]
            #expect(docker.status == 0 && secret == "access-1", "\(docker)")
            func cluster(_ server: String) throws -> BuiltProgram.Outcome {
                let spec = "{\"interactive\":false,\"cluster\":{\"server\":\"\(server)/k8s\"}}"
                let asked =
                    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"spec\":\(spec)}"
                return try BuiltProgram("tokenbroker").run(
                    ["credential", "kubectl"],
                    environment: machine.environment.merging(["KUBERNETES_EXEC_INFO": asked]) { $1 }
                )
            }
            let kubectl = try cluster(theirs.base)
            let status = try StrictJSON.parse(Array(kubectl.output.utf8))["status"]
            #expect(kubectl.status == 0 && status?["token"] == "access-1", "\(kubectl)")
            #expect(try cluster("http://localhost:1").status == 77)
            #expect(try !cluster(ours.base).output.contains("access-1"))
            let atOurs = try machine.tokenbroker(["credential", "docker", "get"], input: "localhost:\(ours.port)\n")
            #expect(!atOurs.output.contains("access-1"), "\(atOurs)")

            // No command sends a token of one authority to an origin of the other authority.
            for (policy, api) in [("contoso", ours), ("b2c_1_sign_in", theirs)] {
                let before = try api.requests().count
                let refused = try machine.tokenbroker(["request", "--no-prompt", "--policy", policy, api.base + "/x"])
                #expect(refused.status == 77, "\(policy): \(refused.status) \(refused.errors)")
                #expect(try api.requests().count == before)
                let printed = try machine.tokenbroker(["token", "--no-prompt", "--policy", policy, "--for", api.base])
                #expect(printed.status == 77 && printed.output.isEmpty, "\(policy)")
            }
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0)
        }
    }
}
