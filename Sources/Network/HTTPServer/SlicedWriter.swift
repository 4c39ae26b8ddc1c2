import HTTPTypes
import HummingbirdCore
import NIOCore

extension ResponseWriter {
    consuming func writeInSlices(_ response: Response) async throws {
        guard response.body.contentLength.map({ $0 > SlicedWriter.slice }) ?? true else {
            return try await write(response: response.head, body: response.body)
        }
        let writer = try await writeHead(response.head)
        try await response.body.write(SlicedWriter(base: writer))
    }
}

/// Writes a response body in slices, so that the event loop can serve other connections between the slices.
private struct SlicedWriter: ResponseBodyWriter {
    /// The maximum number of bytes that are written at a time.
    static let slice = 64 * 1024

    var base: any ResponseBodyWriter

    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while let slice = rest.readSlice(length: min(Self.slice, rest.readableBytes)), slice.readableBytes > 0 {
            try await base.write(slice)
            await Task.yield()
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await base.finish(trailingHeaders)
    }
}
