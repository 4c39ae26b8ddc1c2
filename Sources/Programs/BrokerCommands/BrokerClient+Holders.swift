import BrokerAPI
import BrokerClient
import FlowModel
import Terminal

extension BrokerClient {
    /// The id of the holder of tokens that a command is about: an account, or a service, which is nobody's account.
    ///
    /// - Parameter text: An id, a user name or a service's client id, or what only one of them begins with; nil if none was
    ///   named. A person's account is meant where there is one.
    /// - Returns: The id.
    /// - Throws: A `CommandFailure` if there is none, or if there are several.
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
