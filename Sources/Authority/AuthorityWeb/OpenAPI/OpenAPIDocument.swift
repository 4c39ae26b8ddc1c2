import HTTPTypes
import OAuth

/// Renders an OpenAPI 3.1 document that describes the authority's routes.
struct OpenAPIDocument {
    let origin: String
    let tenant: String
    let policies: [String]
    let routes: [any AuthorityRoute]

    var json: JSONValue {
        var paths: [String: JSONValue] = [:]
        for route in routes {
            guard let operation = route.operation else { continue }
            for path in route.paths { paths[path] = item(path, route, operation) }
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": "Tokenbroker's authority", "version": "2.0"],
            "servers": [["url": .string(origin)]],
            "paths": .object(paths),
            "components": ["schemas": ["Error": Self.error], "securitySchemes": Self.schemes],
        ]
    }

    private func item(_ path: String, _ route: any AuthorityRoute, _ operation: RouteOperation) -> JSONValue {
        var item: [String: JSONValue] = [:]
        for method in route.methods {
            item[method.rawValue.lowercased()] = describe(operation, method)
        }
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
        var parameters = names.map { parameter($0, in: "path", isRequired: true, values: values(of: $0)) }
        // If the path does not contain the policy, the query parameter `p` names the policy, as in Azure AD B2C.
        let isBehindPolicy = route.paths.contains { $0.contains("{policy}") }
        if isBehindPolicy && !names.contains("policy") {
            parameters.append(parameter("p", in: "query", isRequired: true, values: policies))
        }
        item["parameters"] = .array(parameters)
        return .object(item)
    }

    private func values(of name: String) -> [String] {
        switch name {
        case "tenant": [tenant]
        case "policy": policies
        default: []
        }
    }

    private func describe(_ operation: RouteOperation, _ method: HTTPRequest.Method) -> JSONValue {
        var members: [String: JSONValue] = ["summary": .string(operation.summary), "responses": responses(operation)]
        if method == .post {
            members["requestBody"] = [
                "required": .bool(operation.parameters.contains(where: \.isRequired)),
                "content": ["application/x-www-form-urlencoded": ["schema": form(operation.parameters)]],
            ]
        } else {
            members["parameters"] = .array(
                operation.parameters.map {
                    parameter($0.name, in: "query", isRequired: $0.isRequired, values: $0.values)
                }
            )
        }
        switch operation.proof {
        case .none: break
        // The header is optional, because a client can also authenticate in the body or be public.
        case .basic: members["security"] = [["basic": []], [:]]
        case .bearer: members["security"] = [["bearer": []]]
        }
        return .object(members)
    }

    private func parameter(_ name: String, in place: JSONValue, isRequired: Bool, values: [String]) -> JSONValue {
        ["name": .string(name), "in": place, "required": .bool(isRequired), "schema": Self.text(values)]
    }

    private func form(_ parameters: [RouteOperation.Parameter]) -> JSONValue {
        let properties = parameters.map { ($0.name, Self.text($0.values)) }
        return [
            "type": "object", "properties": .object(Dictionary(properties) { first, _ in first }),
            "required": .array(parameters.filter(\.isRequired).map { .string($0.name) }),
        ]
    }

    private func responses(_ operation: RouteOperation) -> JSONValue {
        let page: JSONValue = ["text/html": ["schema": Self.text([])]]
        let error: JSONValue = ["application/json": ["schema": ["$ref": "#/components/schemas/Error"]]]
        switch operation.answer {
        case .document(let status):
            let content: JSONValue = ["application/json": ["schema": ["type": "object"]]]
            return [
                "\(status)": ["description": "The document.", "content": content],
                "default": ["description": "The error.", "content": error],
            ]
        case .empty:
            return ["200": ["description": "Success."], "default": ["description": "The error.", "content": error]]
        case .page:
            return [
                "200": ["description": "A page.", "content": page],
                "303": ["description": "A redirect to the next page or to the client."],
                "default": [
                    "description": "A page that explains the error, or the error of an unknown address.",
                    "content": .object(page.object.map { $0.merging(error.object ?? [:]) { $1 } } ?? [:]),
                ],
            ]
        case .file:
            return ["200": ["description": "The file."], "default": ["description": "The error.", "content": error]]
        }
    }

    private static func text(_ values: [String]) -> JSONValue {
        guard !values.isEmpty else { return ["type": "string"] }
        return ["type": "string", "enum": .array(values.map { .string($0) })]
    }

    private static let error: JSONValue = [
        "type": "object", "required": ["error"],
        "properties": [
            "error": ["type": "string"], "error_description": ["type": "string"], "correlation_id": ["type": "string"],
        ],
    ]

    private static let schemes: JSONValue = [
        "basic": ["type": "http", "scheme": "basic"], "bearer": ["type": "http", "scheme": "bearer"],
    ]
}
