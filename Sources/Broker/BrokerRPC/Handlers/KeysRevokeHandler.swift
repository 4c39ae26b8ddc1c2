import Administration
import BrokerAPI

extension KeysRevoke: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        Many(try await caller.revokeKey(kid))
    }
}
