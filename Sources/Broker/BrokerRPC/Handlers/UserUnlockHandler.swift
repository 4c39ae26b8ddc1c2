import Administration
import BrokerAPI

extension UserUnlock: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        One(try await caller.unlock(user))
    }
}
