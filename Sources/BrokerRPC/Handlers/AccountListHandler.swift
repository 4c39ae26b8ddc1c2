import Broker
import BrokerAPI

extension AccountList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.accounts(caller: call.caller).map(AccountSummary.init))
    }
}

extension AccountSummary {
    init(_ answer: AccountAnswer) {
        self.init(
            account: answer.account,
            username: answer.username,
            displayName: answer.displayName,
            authority: answer.authority,
            policies: answer.policies,
            lastUsed: answer.lastUsed
        )
    }
}
