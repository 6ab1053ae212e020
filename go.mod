module konak

go 1.26.0
