import BrokerAPI
import BrokerClient
import JSONRPC
import OAuth
import Terminal

extension ConnectionOptions {
    /// Talks to the daemon about a thing by its name; one that is not there is a failure, and no misspelt command.
    ///
    /// - Parameters:
    ///   - correlation: Ties the calls to logs and audit.
    ///   - hint: The command that lists what there is.
    ///   - body: Makes the call.
    /// - Returns: The result of the body.
    /// - Throws: A `CommandFailure` with status 1 for a name that is refused, or the error of the body.
    func withNamed<Value: Sendable>(
        _ correlation: CorrelationID,
        hint: String,
        _ body: (BrokerClient) async throws -> Value
    ) async throws -> Value {
        do {
            return try await withBroker(correlation, body)
        } catch let error as BrokerError where error.code == JSONRPCError.Code.invalidParams {
            throw CommandFailure(.failed, error.reason, error.message, hint: hint)
        }
    }
}
