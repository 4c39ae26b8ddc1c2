import HTTPTypes
import Hummingbird

struct RouteMethods: Sendable {
    private let routes: [(path: RouterPath, methods: Set<HTTPRequest.Method>)]

    init(_ routes: [Router<HTTPContext>.RouteDescription]) {
        var methods: [String: (path: RouterPath, methods: Set<HTTPRequest.Method>)] = [:]
        for route in routes {
            methods[route.path.description, default: (route.path, [])].methods.insert(route.method)
        }
        self.routes = Array(methods.values)
    }

    /// Returns the methods of the routes for `path` in a fixed order, with HEAD if there is GET (RFC 9110 §9.3.2).
    func at(_ path: RequestPath) -> [HTTPRequest.Method] {
        let segments = path.segments.map(RequestPath.encoded)
        var known = routes.filter { Self.covers($0.path, segments) }.reduce(into: Set()) { $0.formUnion($1.methods) }
        if known.contains(.get) { known.insert(.head) }
        return Self.order.filter(known.contains)
    }

    private static let order: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]

    private static func covers(_ path: RouterPath, _ segments: [String]) -> Bool {
        for (index, element) in path.enumerated() {
            guard index < segments.count else { return false }
            if element == .recursiveWildcard { return true }
            guard element ~= segments[index] else { return false }
        }
        return path.count == segments.count
    }
}
