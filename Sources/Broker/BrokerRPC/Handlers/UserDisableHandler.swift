import Administration
import BrokerAPI

extension UserDisable: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        One(try await disabled ? caller.disable(user) : caller.enable(user))
    }
}
