import Synchronization

/// The pipeline that answered last, for whoever cannot wait for one.
final class KnownPipeline: Sendable {
    private let pipeline = Mutex<HTTPPipeline?>(nil)

    /// The pipeline that answered last; nil before the first answer.
    var last: HTTPPipeline? { pipeline.withLock { $0 } }

    /// Notes the pipeline that answers now.
    func note(_ answering: HTTPPipeline) -> HTTPPipeline {
        pipeline.withLock { if $0 !== answering { $0 = answering } }
        return answering
    }
}
