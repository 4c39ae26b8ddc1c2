import Broker
import BrokerAPI

extension SessionSignOut: HandledMethod {
    /// What was issued is always revoked, so `revoke` asks for nothing more.
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let which: SignOutRequest.Which =
            switch extent {
            case .account(let account): .account(account)
            case .all: .all
            }
        let answer = try await broker.signOut(
            SignOutRequest(which),
            caller: call.caller
        )
        return Answer(
            tokens: Int64(answer.tokens),
            sessions: Int64(answer.sessions),
            flows: Int64(answer.flows),
            left: answer.left
        )
    }
}
