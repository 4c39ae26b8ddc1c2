import Administration
import BrokerAPI

extension UserShow: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        One(try await caller.user(user))
    }
}
