import BrokerAPI
import BrokerClient
import FlowModel
import Terminal

extension BrokerClient {
    /// Returns the id of the account or service that a command is about.
    ///
    /// - Parameter text: An id, a user name, a service's client id, or a unique prefix of any of these. `nil` if the
    ///   user did not specify one. A user's account takes precedence over a service.
    /// - Returns: The id.
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
