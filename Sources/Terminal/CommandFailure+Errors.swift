public import OAuth

extension CommandFailure {
    /// What any error means to whoever runs the command.
    public init(_ error: any Error, _ correlation: CorrelationID) {
        switch error {
        case var failure as CommandFailure:
            failure.correlationID = failure.correlationID ?? correlation
            self = failure
        case is CancellationError:
            self.init(CommandFailure.cancelled, correlation)
        default:
            self.init(.failed, "internal", "\(error)")
            correlationID = correlation
        }
    }
}
