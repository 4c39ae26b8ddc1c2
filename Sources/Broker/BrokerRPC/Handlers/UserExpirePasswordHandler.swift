import Administration
import BrokerAPI

extension UserExpirePassword: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        One(try await caller.expirePassword(user))
    }
}
