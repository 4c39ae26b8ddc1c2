import BrokerAPI
import FlowModel
import JSONRPC
import OAuth

/// The line that answers a line: one response, or an array of them.
///
/// It has at most 1 MiB, and no more than the peer's memory has room for. A response that does not fit is replaced by
/// 1013 under the same id, so that every call of a batch has its answer.
struct AnswerLine {
    /// Bytes of a batch's line that are kept for errors in place of responses that do not fit: the ids, of which one
    /// escaped byte may become three, and the rest of each error.
    static let reserve = 3 * LineFramer.requestLimit + JSONRPCInput.batchLimit * 512

    private let memory: AnswerMemory
    private let isBatch: Bool
    private var bytes: [UInt8] = []
    /// Bytes that the memory counts already.
    private var counted = 0

    /// A line for one response, or for those of a batch.
    init(batch isBatch: Bool, memory: AnswerMemory) {
        self.isBatch = isBatch
        self.memory = memory
    }

    /// Adds a response, or the error that says why it cannot stand here.
    mutating func append(_ response: JSONRPCResponse) {
        if isBatch { bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ",")) }
        let encoded = response.bytes
        let room = LineFramer.responseLimit - (isBatch ? Self.reserve + bytes.count : 0)
        if encoded.count > room {
            replace(response, "the answer would be longer than 1 MiB; ask for less at once", "responseBytes")
        } else if !memory.reserve(encoded.count) {
            replace(response, "too many answers wait to be read; read them and ask again", "unreadBytes")
        } else {
            counted += encoded.count
            bytes.append(contentsOf: encoded)
        }
    }

    /// The whole line with its end, every byte of it counted in the memory; nil where nothing is answered.
    consuming func finished() -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        bytes.append(contentsOf: (isBatch ? "]\n" : "\n").utf8)
        memory.add(bytes.count - counted)
        return bytes
    }

    private mutating func replace(_ response: JSONRPCResponse, _ sentence: String, _ limit: String) {
        let refusal = Refusal(.limitExceeded, sentence).with(.limit, limit)
        let error = JSONRPCError(refusal, correlationID: .random())
        JSONRPCResponse(id: response.id, outcome: .failure(error)).append(to: &bytes)
    }
}
