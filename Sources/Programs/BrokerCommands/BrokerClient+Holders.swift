import BrokerAPI
import BrokerClient
import FlowModel
import Terminal

extension BrokerClient {
    /// Returns the id of the account or service `text`, or of the default or only account if `text` is `nil`.
    ///
    /// `text` is an id, a user name, a client id, or a unique prefix of one. Accounts take precedence over services.
    ///
    /// - Throws: A `CommandFailure` if no account or service matches, or if more than one does.
    func holder(named text: String?) async throws -> String {
        do {
            return try await account(named: text, program: "tokenbroker").account
        } catch let failure as CommandFailure where text != nil && failure.reason == "not_found" {
            var services: [TokenSummary] = []
            for token in try await call(TokenList())
            where !services.contains(where: { $0.account == token.account }) {
                services.append(token)
            }
            return try UniquePrefix.find(text ?? "", among: services, .account) { [$0.account, $0.username] }.account
        }
    }
}
