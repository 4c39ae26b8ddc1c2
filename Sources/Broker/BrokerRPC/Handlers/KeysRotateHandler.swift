import Administration
import BrokerAPI

extension KeysRotate: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        Many(try await caller.rotateKeys(algorithm: alg))
    }
}
