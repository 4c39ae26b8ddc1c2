import Foundation
import Moments
import OAuth
import Testing
import TokenCache

@testable import Broker

/// Tests of how long before a token's expiry its renewal is due.
@Suite(.timeLimit(.minutes(1))) struct RenewalLeadTests {
    /// Returns an account's token that arrives at `receivedAt` and expires an hour after the Unix epoch.
    private func token(_ account: String, receivedAt: Int64?) -> TokenRow {
        TokenRow(
            uid: 1000,
            account: account,
            client: "c",
            authority: "contoso",
            policy: "contoso",
            resource: "",
            scopes: ["files.read"],
            accessToken: Secret("t"),
            expires: Deadline(wall: Self.life, boot: Self.life, bootID: "b"),
            expiresAt: Self.life,
            acr: "",
            amr: [],
            authTime: 0,
            claims: Data(),
            username: "u",
            receivedAt: receivedAt
        )
    }

    private static let life: Int64 = 3_600_000

    @Test("the lead is between two fifths and half of the life, constant for one account and spread over accounts")
    func spread() {
        let accounts = (0..<200).map { "account-\($0)" }
        let leads = accounts.map { token($0, receivedAt: 0).renewalLead }
        #expect(leads.allSatisfy { (Self.life * 2 / 5...Self.life / 2).contains($0) }, "\(leads)")
        #expect(leads == accounts.map { token($0, receivedAt: 0).renewalLead })
        // The lead times are spread over the whole range, and only a few accounts share the same lead time.
        let perLead = Dictionary(grouping: leads) { $0 }.mapValues(\.count)
        #expect(perLead.count >= 50 && perLead.values.allSatisfy { $0 <= 10 }, "\(perLead)")
        let (first, last) = (leads.min() ?? 0, leads.max() ?? 0)
        #expect(last - first > Self.life / 20, "\(first) to \(last)")
    }

    @Test("a token with an unknown arrival time, or one that arrived expired, is not renewed in advance") func none() {
        for received in [nil, Self.life, Self.life + 1] {
            #expect(token("a", receivedAt: received).renewalLead == 0)
        }
    }
}
