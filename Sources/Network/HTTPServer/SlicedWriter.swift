import HTTPTypes
import HummingbirdCore
import NIOCore

extension ResponseWriter {
    /// Writes a response; a long body goes out in slices, each after the client has made room for it.
    consuming func writeInSlices(_ response: Response) async throws {
        guard response.body.contentLength.map({ $0 > SlicedWriter.slice }) ?? true else {
            return try await write(response: response.head, body: response.body)
        }
        let writer = try await writeHead(response.head)
        try await response.body.write(SlicedWriter(base: writer))
    }
}

/// A writer that hands a body to the connection in slices, so that its event loop serves others in between.
private struct SlicedWriter: ResponseBodyWriter {
    /// The most bytes that are written at a time.
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
