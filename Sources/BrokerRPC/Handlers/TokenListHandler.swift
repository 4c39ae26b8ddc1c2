import Broker
import BrokerAPI

extension TokenList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(
            try await broker.tokens(account: account, caller: call.caller).map { token in
                TokenSummary(
                    account: token.account,
                    username: token.username,
                    client: token.client,
                    authority: token.authority,
                    policy: token.policy,
                    resource: token.resource,
                    scopes: token.scopes,
                    expiresAt: token.expiresAt,
                    acr: token.acr,
                    amr: token.amr,
                    authTime: token.authTime
                )
            }
        )
    }
}
