import BrokerAPI
import FlowModel
import Foundation
import OAuth
import TestSupport
import Testing

/// The documentation states the deadlines of methods for clients in other languages.
@Suite(.timeLimit(.minutes(1)))
struct MethodDeadlineTests {
    /// Returns the deadlines, in seconds, of the methods that do not use the default deadline.
    private func deadlines() throws -> [String: Int] {
        let authority: [String: JSONValue] = ["name": "a", "url": "https://login.example", "clientId": "c"]
        let calls: [(any BrokerMethod.Type, [String: JSONValue])] = [
            (AcquireRequest.self, ["scopes": []]),
            (StartFlowRequest.self, ["policy": "b2c_1_sign_in", "requestId": "r"]),
            (FlowSubmission.self, ["flow": "f", "step": "s", "submissionId": "1", "answers": [:]]),
            (FlowAction.self, ["flow": "f", "step": "s", "submissionId": "1", "action": "resend"]),
            (CheckLogin.self, ["check": "c"]),
            (CredentialEnrol.self, ["type": "totp"]),
            (CredentialRemove.self, ["type": "totp"]),
            (SignOutRequest.self, ["all": true]),
            (ImportedAccount.self, authority.merging(["scopes": ["a"], "refreshToken": "r"]) { $1 }),
            (NewAuthority.self, authority),
            (AuthorityRemove.self, ["name": "a"]),
            (BrokerLock.self, ["passphrase": "p"]),
            (BrokerUnlock.self, ["passphrase": "p"]),
        ]
        return try calls.reduce(into: [:]) { found, call in
            found[call.0.description.name] = Int(try call.0.init(params: call.1).deadline.components.seconds)
        }
    }

    @Test("the documentation and the Python client have the deadlines of the methods") func pages() throws {
        let deadlines = try deadlines()
        #expect(deadlines["token.acquire"] == 90 && deadlines["flow.submit"] == 90 && deadlines["flow.action"] == 90)
        var page: [String: Int] = [:]
        for line in try ProjectFolder.text("docs/jsonrpc.md").split(separator: "\n") {
            guard let cell = line.firstMatch(of: /^\| (`.*`) \(([0-9]+) s\) \|/) else { continue }
            for name in cell.1.matches(of: /`([a-zA-Z.]+)`/) { page[String(name.1)] = Int(cell.2) }
        }
        #expect(page == deadlines)
        let client = try ProjectFolder.text("clients/python/tokenbroker/client.py")
        let entries = client.matches(of: /^ +"([a-zA-Z.]+)": ([0-9]+)\.0,$/.anchorsMatchLineEndings())
        let known = Dictionary(entries.map { (String($0.1), Int($0.2) ?? 0) }) { first, _ in first }
        #expect(known == deadlines)
    }
}
